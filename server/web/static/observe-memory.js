// Memory: every memory of one mind, newest first, by words, kind, place, company and day; pinned and unpinned here.
import { count, empty, field, h, href, link, linkAt, moment, plural } from "./observatory.js";

const KINDS = ["observed", "acted", "result", "thought", "dreamt", "told", "noted"];
const AGES = [["", "any"], ["hour", "the last hour"], ["day", "the last day"], ["week", "the last week"]];
const TIERS = { longterm: "long ago", recent: "lately", tail: "word for word" };

export const asks = (name, [agent, seq]) => ({ agent: agent || "", ...(seq ? { before: String(Number(seq) + 1), only: seq } : {}) });
export const isLive = () => false;

export function draw(page, shown) {
  page.part("search", shown.agent, () => search(page, shown));
  page.part("found", [shown.rows, shown.pins, shown.next, page.asked], () => found(page, shown));
}

// A day as a field of times takes it.
const whole = (given = "", clock) => given.length === 10 ? `${given}T${clock}` : given.slice(0, 16);

function search(page, { agent, n }) {
  const asked = page.asked, typed = (name, label, more = {}) => field(`memory-${name}`, label, h("input", { id: `memory-${name}`, name, type: "search", value: asked[name] || "", key: name, ...more }));
  const form = h("form", { class: "filters", role: "search", onsubmit: (event) => {
    event.preventDefault();
    const wanted = [...new FormData(form)].filter(([, value]) => value);
    location.hash = href(["memory", agent], Object.fromEntries(wanted));
  } },
    typed("words", "Words"), field("memory-kind", "Source", h("select", { id: "memory-kind", name: "kind" }, h("option", { value: "" }, "any"), KINDS.map((one) => h("option", { value: one, selected: one === asked.kind }, one)))),
    typed("room", "Place"), typed("who", "With"), field("memory-age", "Age", h("select", { id: "memory-age", name: "age" }, AGES.map(([value, text]) => h("option", { value, selected: value === (asked.age || "") }, text)))),
    typed("since", "From (UTC)", { type: "datetime-local", value: whole(asked.since, "00:00") }), typed("until", "To (UTC)", { type: "datetime-local", value: whole(asked.until, "23:59") }),
    h("label", {}, h("input", { type: "checkbox", name: "pinned", value: "1", checked: asked.pinned === "1" }), " pinned only"), h("button", { class: "main" }, "Search"));
  return [h("p", {}, link(["mind", agent], `The mind of ${agent}`), `: ${plural(n, "memory", "memories")} in all.`), form];
}

function found(page, shown) {
  const { agent, rows, next, searched_to: to, pins } = shown, only = Number(page.asked.only || 0);
  return [only > 0 && told(page, agent, only),
    h("h3", {}, "Newest first"), rows.length ? h("ol", { class: "memories" }, rows.map((one) => memory(page, agent, one, only))) : empty("No memory fits."),
    empty(`Looked through down to memory ${count(to)}.${next ? "" : " There are no more."}`),
    next > 0 && h("button", { type: "button", key: "older", onclick: () => older(page, shown) }, "Older"),
    pins.length > 0 && h("details", { key: "pins" }, h("summary", {}, plural(pins.length, "pin", "pins")), h("ul", {}, pins.map((one) => h("li", {}, one.text))))];
}

// A memory: its words, and below them what is known of it and can be done with it.
function memory(page, agent, one, only) {
  const marks = [one.kind, one.room, one.people.length > 0 && `with ${one.people.join(", ")}`, one.pinned && h("strong", {}, "pinned"), TIERS[one.tier] || one.tier].filter(Boolean);
  return h("li", { class: one.seq === only ? "wanted" : "" }, h("p", { class: "words" }, one.text), h("p", { class: "about" },
    link(["memory", agent, one.seq], `Memory ${count(one.seq)}`, one.seq === only ? { "aria-current": "true" } : {}), " · ", linkAt(["mind", agent], one.at, moment(one.at), { title: "The mind then" }), marks.map((mark) => [" · ", mark]),
    (one.kind === "acted" || one.kind === "result") && [" · ", link(["why", agent, one.seq], "Why", { "aria-label": `Why memory ${one.seq}`, "data-line": true, key: `why ${one.seq}` })], act(page, agent, one)));
}

function act(page, agent, one) {
  const verb = one.pinned ? "@memory-unpin" : "@memory-pin", word = one.pinned ? "Unpin" : "Pin";
  return page.can("@pause-agent") && h("button", { type: "button", key: `pin ${one.seq}`, "aria-label": `${word} memory ${one.seq}`, onclick: () => { page.do(`${verb} ${agent} ${one.seq}`); setTimeout(() => page.ask(), 400); } }, word);
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
  page.once("sentences", { agent, seq, ...page.at() }).then(({ tier, sentences }) => {
    if (tier === "tail") place.replaceChildren(`Memory ${count(seq)} is told word for word: no summary stands for it.`);
    else place.replaceChildren(`Memory ${count(seq)} is told in the summary “${TIERS[tier.split(":")[0]] || tier}”. `, h("a", { href: href(["mind", agent], { tier, sentence: sentences.join(",") }) }, sentences.length ? plural(sentences.length, "sentence tells it", "sentences tell it") : "No sentence shares enough of its words"));
  }, (why) => place.replaceChildren(why));
  return place;
}
