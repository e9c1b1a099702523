// Memory: every memory of one mind, newest first, by words, kind, place, company and day; pinned and unpinned here.
import { count, empty, field, h, link, moment, plural, table } from "./observatory.js";

const KINDS = ["observed", "acted", "result", "thought", "dreamt", "told", "noted"];
const TIERS = { longterm: "long-term", recent: "short-term", tail: "word for word" };

export const asks = (name, [agent, seq]) => ({ agent: agent || "", ...(seq ? { before: String(Number(seq) + 1), only: seq } : {}) });
export const isLive = () => false;

export function draw(page, shown) {
  page.part("search", shown.agent, () => search(page, shown));
  page.part("found", [shown.rows, shown.pins, shown.next, page.asked], () => found(page, shown));
}

function search(page, { agent, n }) {
  const asked = page.asked, typed = (name, label, more = {}) => field(`memory-${name}`, label, h("input", { id: `memory-${name}`, name, type: "search", value: asked[name] || "", key: name, ...more }));
  const form = h("form", { class: "filters", role: "search", onsubmit: (event) => {
    event.preventDefault();
    const wanted = [...new FormData(form)].filter(([, value]) => value);
    location.hash = `#/memory/${encodeURIComponent(agent)}${wanted.length ? `?${new URLSearchParams(wanted)}` : ""}`;
  } },
    typed("words", "Words"), field("memory-kind", "Source", h("select", { id: "memory-kind", name: "kind" }, h("option", { value: "" }, "any"), KINDS.map((one) => h("option", { value: one, selected: one === asked.kind }, one)))),
    typed("room", "Place"), typed("who", "With"), typed("since", "From day", { type: "date" }), typed("until", "To day", { type: "date" }),
    h("label", {}, h("input", { type: "checkbox", name: "pinned", value: "1", checked: asked.pinned === "1" }), " pinned only"), h("button", { class: "main" }, "Search"));
  return [h("p", {}, link(["mind", agent], `The mind of ${agent}`), `: ${plural(n, "memory", "memories")} in all.`), form];
}

function found(page, shown) {
  const { agent, rows, next, searched_to: to, pins } = shown, only = Number(page.asked.only || 0);
  return [only > 0 && told(page, agent, only),
    table("Memories, newest first", ["No.", "When (UTC)", "Source", "Place", "With", "What", "Tier", "Do"], rows.map((one) => [
      link(["memory", agent, one.seq], count(one.seq), one.seq === only ? { "aria-current": "true" } : {}), moment(one.at), one.kind, one.room, one.people.join(", "),
      [one.text, one.pinned && h("strong", {}, " pinned")], TIERS[one.tier] || one.tier, [act(page, agent, one), (one.kind === "acted" || one.kind === "result") && link(["why", agent, one.seq], "Why", { "aria-label": `Why memory ${one.seq}` })],
    ]), "No memory fits."),
    empty(`Looked through down to memory ${count(to)}.${next ? "" : " There are no more."}`),
    next > 0 && h("button", { type: "button", key: "older", onclick: () => older(page, shown) }, "Older"),
    pins.length > 0 && h("details", { key: "pins" }, h("summary", {}, plural(pins.length, "pin", "pins")), h("ul", {}, pins.map((one) => h("li", {}, one.text))))];
}

function act(page, agent, one) {
  const verb = one.pinned ? "@memory-unpin" : "@memory-pin", word = one.pinned ? "Unpin" : "Pin";
  return page.can(verb) && h("button", { type: "button", key: `pin ${one.seq}`, "aria-label": `${word} memory ${one.seq}`, onclick: () => { page.do(`${verb} ${agent} ${one.seq}`); setTimeout(() => page.ask(), 400); } }, word);
}

async function older(page, shown) {
  const { only: _, ...asked } = page.asked;
  try {
    const more = await page.once("memory", { ...asked, before: shown.next });
    page.draw({ ...more, rows: [...shown.rows, ...more.rows] });
  } catch (why) { page.say(why); }
}

// In which tier a memory is, and which sentences of a summary tell it.
function told(page, agent, seq) {
  const place = h("p", { class: "verdict" }, "…");
  page.once("sentences", { agent, seq }).then(({ tier, sentences }) => {
    if (tier === "tail") place.replaceChildren(`Memory ${count(seq)} is told word for word: no summary stands for it.`);
    else place.replaceChildren(`Memory ${count(seq)} is told in the ${TIERS[tier.split(":")[0]] || tier} summary. `, h("a", { href: `#/mind/${encodeURIComponent(agent)}?tier=${encodeURIComponent(tier)}&sentence=${sentences.join(",")}` }, sentences.length ? plural(sentences.length, "sentence tells it", "sentences tell it") : "No sentence shares enough of its words"));
  }, (why) => place.replaceChildren(why));
  return place;
}
