// Mind: what goes on now, the prompt as one bar, the tiers to scale, and the last turns.
import { bar, count, empty, field, h, href, link, linkAt, moment, plural, table, tone } from "./observatory.js";
import { prompt as promptThen } from "./observe-why.js";

const TIERS = { longterm: "Long ago", recent: "Lately", tail: "Word for word" };

export const asks = (name, [agent]) => ({ agent: agent || "" });
export const isLive = () => true;

export function draw(page, shown) {
  if (shown.is_window) { drawWindow(page, shown); return; }
  if (shown.then) { drawThen(page, shown); return; }
  page.part("now", [shown.doing, shown.stage, shown.goals, shown.plan, shown.attends_to, shown.here, shown.room, shown.still], () => now(shown));
  page.part("acts", [shown.still, shown.memory.leaves, shown.agent, page.can("@pause-agent")], () => acts(page, shown));
  page.part("memory", [shown.tiers, shown.memory, shown.pins], () => memory(page, shown));
  page.part("prompt", shown.prompt, () => prompt(shown));
  page.part("turns", shown.turns, () => turns(shown));
  page.part("bonds", shown.bonds, () => [h("h3", {}, "Bonds present"), shown.bonds ? h("p", { class: "words" }, shown.bonds) : empty("The prompt tells nothing of who is here.")]);
}

function drawWindow(page, shown) {
  page.part("window", shown, () => [
    shown.thinks && h("p", { class: "spark" }, "thinking"), shown.words.map((one) => h("p", {}, one)),
    empty("This is what is to be seen from where you stand. Observers and admins see further."),
  ]);
}

function now({ agent, room, doing, stage, still, goals, plan, attends_to: others, here }) {
  const state = stage === "running" ? "thinking now" : stage === "waiting" ? "waiting for the model" : still;
  const row = (name, ...cells) => [h("dt", {}, name), h("dd", {}, cells)];
  return [h("h3", {}, "Now"), h("dl", { class: "facts" },
    row("Where", room), row("Doing", doing.line || doing.outcome, doing.reason && h("span", { class: "reason" }, doing.reason), doing.why && h("span", { class: "quiet" }, ` ${doing.why}`)),
    state && state !== doing.why && row("State", h("span", { class: stage === "running" ? "spark" : "" }, state)),
    row("Company", here.join(", ") || "nobody"), row("Attends to", others.join(", ") || "nobody"),
    row("Goals", goals.length ? h("ul", {}, goals.map((one) => h("li", {}, one.text))) : "none"),
    row("Plan of today", plan.length ? h("ol", {}, plan.map((one) => h("li", { class: one.is_done ? "done" : "" }, one.text, one.is_done && " (done)"))) : "none")),
    h("p", {}, link(["why", agent], "Why the last action"), " · ", link(["memory", agent], "Memories"), " · ", h("a", { href: href(["feed"], { who: agent }) }, "Follow in the feed")), goTo(agent)];
}

// Asks for the mind as it was at a time.
function goTo(agent, at = "") {
  const when = h("input", { id: "mind-at", type: "datetime-local", step: 1, required: true, value: at, key: "at" });
  return h("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); location.hash = href(["mind", agent], {}, when.value); } }, field("mind-at", "As it was at (UTC)", when), h("button", { key: "go" }, "Go"));
}

// What the files tell of a time: of then first, and below it what has no time.
function drawThen(page, shown) {
  const { agent, n, of, at, room, turns: all, tiers, prompt: asked } = shown;
  const row = (name, ...cells) => [h("dt", {}, name), h("dd", {}, cells)], step = (ms, text) => (ms ? linkAt(["mind", agent], ms, text, { key: text }) : h("span", { class: "quiet" }, text));
  page.part("then", shown, () => [h("h3", {}, page.asked.at ? "Then" : "At the end"), n ? h("dl", { class: "facts" },
    row("Where", room), row("Last action", all.length ? [link(["why", agent, all[0].seq], all[0].command), all[0].reason && h("span", { class: "reason" }, all[0].reason)] : "none yet"),
    row("Memories", `${count(n)} of the ${count(of)} that there are ${page.end}, the newest of ${moment(at)}`)) : empty(`${agent} remembered nothing yet.`),
    h("p", {}, step(shown.earlier, "The turn before"), " · ", step(shown.later, "The next turn"), " · ", link(["memory", agent], "Memories until then"), " · ", link(["town"], "Who was where")), goTo(agent, shown.then.length > 10 ? shown.then : `${shown.then}T23:59`)]);
  page.part("memory", tiers, () => [h("h3", {}, "Memory"), tierTable(tiers), tiers.parts.filter((one) => one.sentences.length).map((one) => h("details", { key: one.name, open: page.asked.tier === one.name }, h("summary", {}, `${tierName(one)}, ${one.quality || ""}: ${plural(one.sentences.length, "sentence", "sentences")}`), sentences(page, agent, one)))]);
  page.part("prompt", asked, () => [h("h3", {}, "The prompt before that"), asked ? [h("p", {}, `Asked at ${shown.asked_at.slice(0, 19).replace("T", " ")}. `, shown.seq > 0 && link(["why", agent, shown.seq], "Why, and what came of it")), promptThen(page, shown)] : empty("No model was asked before that, as far as the archive tells."),
    (shown.told || []).map(([name, text]) => h("details", { key: `told ${name}` }, h("summary", {}, `Told: ${name}`), h("p", { class: "words" }, text)))]);
  page.part("turns", all, () => turns(shown));
  page.part("of now", [shown.goals, shown.pins], () => [h("h3", {}, `Without a time: as they are ${page.end}`), h("dl", { class: "facts" },
    row("Goals", shown.goals.length ? h("ul", {}, shown.goals.map((one) => h("li", {}, one))) : "none"), row("Pins", shown.pins.length ? h("ul", {}, shown.pins.map((one) => h("li", {}, one))) : "none"))]);
}

function acts(page, { agent, still, memory: { leaves } }) {
  if (!page.can("@pause-agent")) return []; // observers change nothing
  const button = (text, line) => page.can(line.split(" ")[0]) && h("button", { type: "button", key: line, onclick: () => page.do(line) }, text);
  const leaf = h("select", { id: "leaf", key: "leaf" }, leaves.map((one) => h("option", { value: one }, one)));
  return [h("h3", {}, "Commands"), h("div", { class: "acts" },
    still ? button("Let think again", `@resume-agent ${agent}`) : button("Pause", `@pause-agent ${agent}`), button("Possess", `@possess ${agent}`), button("Release", "@release"),
    button("Compact", `@compact-memories ${agent}`), button("Rebuild", `@rebuild-memories ${agent}`),
    leaves.length > 0 && page.can("@memory-rollback") && [field("leaf", "Roll back to", leaf), h("button", { type: "button", key: "roll", onclick: () => page.do(`@memory-rollback ${agent} ${leaf.value}`) }, "Roll back")]),
    empty("Each sends the very command, and its answer stands above.")];
}

const tierName = (one) => one.title ? `${TIERS[one.name.split(":")[0]] || one.name}: ${one.title}` : TIERS[one.name] || one.name;

// The tiers to scale, and in numbers that add up.
function tierTable({ n, parts }) {
  const numbers = (one) => one.ranges.map(([first, last]) => first === last ? count(first) : `${count(first)}–${count(last)}`).join(", ") || "none";
  const sum = parts.reduce((all, one) => all + one.count, 0);
  return [bar(`${plural(n, "memory", "memories")}, to scale: ${parts.map((one) => `${tierName(one)} ${count(one.count)}`).join(", ")}`, parts.map((one) => [tierName(one), one.count])),
    table("Every memory exactly once", ["Tier", "Memories", "Count"], [
      ...parts.map((one, at) => [[tone(at), tierName(one)], numbers(one), count(one.count)]),
      ["Together", `${parts.map((one) => count(one.count)).join(" + ")} =`, `${count(sum)}${sum === n ? "" : ` of ${count(n)}`}`],
    ])];
}

function memory(page, { agent, tiers, memory: { is_compacting: busy, state, problem, strategy }, pins }) {
  return [h("h3", {}, "Memory"), tierTable(tiers),
    busy && h("p", { class: "spark" }, `Compacting: ${state}`), problem && h("p", { class: "refusal" }, problem), empty(`Strategy: ${strategy}.`),
    tiers.parts.filter((one) => one.sentences.length).map((one) => h("details", { key: one.name, open: page.asked.tier === one.name }, h("summary", {}, `${tierName(one)}, ${one.quality || ""}: ${plural(one.sentences.length, "sentence", "sentences")}`),
      sentences(page, agent, one))),
    pins.length > 0 && h("details", { key: "pins" }, h("summary", {}, plural(pins.length, "pin", "pins")), h("ul", {}, pins.map((one) => h("li", {}, one.text, " ", unpin(page, agent, one)))))];
}

function unpin(page, agent, pin) {
  const what = pin.seq || pin.text;
  return page.can("@pause-agent") && h("button", { type: "button", key: `unpin ${what}`, "aria-label": `Unpin ${pin.text}`, onclick: () => page.do(`@memory-unpin ${agent} ${what}`) }, "Unpin");
}

const sentences = (page, agent, { name, sentences: all }) => [h("p", { class: "quiet" }, "A sentence shows the memories that it stands for."), h("ol", { class: "sentences" }, all.map((text, number) => sentence(page, agent, name, number, text)))];

function sentence(page, agent, tier, number, text) {
  const lines = h("div", {}), wanted = page.asked.tier === tier && (page.asked.sentence || "").split(",").includes(String(number));
  const show = h("button", { type: "button", class: "sentence", "aria-expanded": "false", "data-line": true, key: `sentence ${tier} ${number}`, onclick: async () => {
    const isOpen = show.getAttribute("aria-expanded") === "true";
    show.setAttribute("aria-expanded", String(!isOpen));
    lines.replaceChildren();
    if (isOpen) return;
    try {
      const found = await page.once("lines", { agent, tier, sentence: number, ...page.at() });
      const how = found.how === "cited" ? "It is this memory, word for word:" : "The model wrote this sentence. These memories share its words:";
      lines.replaceChildren(empty(found.lines.length ? how : "No memory shares enough of its words."), h("ul", {}, found.lines.map((one) => h("li", {}, link(["memory", agent, one.seq], `${count(one.seq)}: ${one.text}`)))));
    } catch (why) { lines.replaceChildren(h("p", { class: "refusal" }, why)); }
  } }, text);
  return h("li", { class: wanted ? "wanted" : "" }, show, lines);
}

function prompt({ prompt: { pieces, tokens, budget, cached, new: fresh, same, is_asked: asked, tiers, left_out: gone } }) {
  const share = (one) => `${Math.round(100 * one / (tokens || 1))}%`, merged = new Map();
  pieces.forEach((one) => { const before = merged.get(one.name) || [0, 0]; merged.set(one.name, [before[0] + one.tokens, before[1] + (one.is_same ? one.tokens : 0)]); });
  const rows = [...merged];
  return [h("h3", {}, "Prompt"), !asked && empty("Nothing was asked yet; this is what the model would be given now."),
    h("p", {}, `${plural(tokens, "token", "tokens")} of ${count(budget)}. `, cached === null ? "The model does not tell what it had in its cache. " : `${count(cached)} came from the cache, ${count(fresh)} were new. `, `${count(same)} stand as in the prompt before.`),
    bar(`Prompt by section: ${rows.map(([name, [all]]) => `${name} ${count(all)}`).join(", ")}`, rows.map(([name, [all]]) => [name, all])),
    table("Prompt by section", ["Section", "Tokens", "Share", "As before"], rows.map(([name, [all, old]], at) => [[tone(at), name], count(all), share(all), count(old)])),
    tiers && empty(`Memories: ${tiers}.`),
    gone.length > 0 && empty(`Left out for want of room: ${gone.join(", ")}.`)];
}

function turns({ agent, turns: all }) {
  if (!all.length) return [h("h3", {}, "Last turns"), empty("None yet.")];
  return [h("h3", {}, "Last turns, newest first"), h("ol", { class: "memories" }, all.map((one) => h("li", {},
    h("p", {}, link(["why", agent, one.seq], one.command, { "data-line": true, key: `turn ${one.seq}` }), one.reason && h("span", { class: "reason" }, one.reason)),
    (one.result || one.is_refused) && h("p", { class: "words" }, one.is_refused && h("strong", {}, "Refused. "), one.result.slice(0, 300)),
    h("p", { class: "about" }, linkAt(["mind", agent], one.at, moment(one.at), { title: "The mind then", "aria-label": `The mind at ${moment(one.at)}` }), one.reason ? "" : " · no reason given"))))];
}
