// Why: from what was perceived to what came of it, step by step; the prompt and its difference to the one before.
import { bar, count, empty, h, href, link, plural, second, table, tone } from "./observatory.js";

const BY = {
  engine: "No model was asked: the engine chose this action.", hand: "Somebody did this by hand, through the agent. The audit log says who.",
  unknown: "The archive does not say why this was done.", nobody: "Nothing was asked of a model yet.",
};
const VERDICTS = { done: "Done.", refused: "Refused by the world.", dropped: "The engine did not take the answer.", silent: "The agent kept silent, for it had said these words lately.", no_command: "There was no command in the answer." };
const CAUSES = { answer: "answer what was said", thank: "thank for what was given", errand: "do the next step of the errand", greet: "speak to somebody new", free: "nothing is due" };

export const asks = (name, [agent, seq]) => ({ agent: agent || "", seq: seq || "" });
export const isLive = () => false;

export function draw(page, shown) {
  page.part("chain", shown, () => [
    h("p", {}, link(["mind", shown.agent], `The mind of ${shown.agent}`), " · ", link(["memory", shown.agent], "Memories"), then(shown), shown.thinks && h("span", { class: "spark" }, " thinking now")),
    h("p", { class: "verdict" }, h("strong", {}, shown.command || (shown.by === "nobody" ? "Nothing was done yet." : "No command.")), shown.reason && h("span", { class: "reason" }, shown.reason), shown.verdict && h("span", {}, ` ${VERDICTS[shown.verdict]}`)),
    h("ol", { class: "chain" }, steps(page, shown).map(([title, ...content]) => h("li", {}, h("h3", {}, title), content)))]);
}

function then({ agent, asked_at: asked, at }) {
  const when = asked ? asked.slice(0, 19) : at ? second(at) : "";
  return when && [" · ", h("a", { href: href(["mind", agent], {}, when) }, "The mind then")];
}

function steps(page, shown) {
  const found = [["Perceived", perceived(shown)]];
  if (shown.by !== "model") return [...found, ["Chosen", h("p", {}, BY[shown.by]), shown.cause && h("p", {}, `It was to ${CAUSES[shown.cause] || shown.cause}.`)], ["Came of it", results(shown)]];
  return [...found, ["Came to mind", retrieved(shown)], ["Decided", decided(shown)], ["Prompt", prompt(page, shown)], ["Answered", answer(shown)], ["Verdict", h("p", {}, VERDICTS[shown.verdict])], ["Done, and what came of it", results(shown)]];
}

function perceived({ agent, perceived: rows, perceived_before: before }) {
  if (!rows.length) return empty("Nothing since the action before.");
  return [before > 0 && empty(`${plural(before, "memory", "memories")} before these.`), h("ul", { class: "lines" }, rows.map((one) => h("li", {}, link(["memory", agent, one.seq], count(one.seq), { "aria-label": `Memory ${one.seq}` }), ` ${one.text}`)))];
}

function retrieved({ agent, retrieved: rows, told }) {
  return [rows.length ? table("Retrieved, with scores", ["Memory or note", "Score", "Words"], rows.map((one) => [typeof one.of === "number" ? link(["memory", agent, one.of], count(one.of)) : one.of, one.score.toFixed(2), one.text])) : empty("Nothing was retrieved."),
    told.filter(([name]) => name !== "recollected").map(([name, text]) => h("details", { key: name }, h("summary", {}, `Told: ${name}`), h("p", { class: "words" }, text)))];
}

function decided({ cause, choices }) {
  return [h("p", {}, `The engine decided: ${CAUSES[cause]}.`), choices.length > 0 && h("details", { key: "choices" }, h("summary", {}, `${plural(choices.length, "choice", "choices")} for the model`), h("ul", {}, choices.map((one) => h("li", {}, one))))];
}

// The size of a prompt, its sections, and how it differs from the one before; the whole of it is asked for in pages.
export function prompt(page, { agent, seq, prompt: it }) {
  const whole = h("pre", { tabindex: 0, hidden: true, "aria-label": "Prompt" });
  let from = 0;
  const more = h("button", { type: "button", key: "prompt", onclick: async () => {
    try {
      const found = await page.once("prompt", { agent, seq: seq || "", from, ...(seq || !page.asked.at ? {} : { at: page.asked.at }) });
      whole.hidden = false;
      whole.append(found.text);
      from = found.next;
      more.hidden = !from;
      more.textContent = `Show more (${count(found.characters - from)} characters left)`;
    } catch (why) { more.replaceWith(h("p", { class: "refusal" }, why)); }
  } }, `Show the prompt (${plural(it.lines, "line", "lines")}, ${count(it.characters)} characters)`);
  const sections = it.sections.filter(([, , size]) => size > 0);
  return [h("p", {}, `${it.is_counted ? "" : "About "}${plural(it.tokens, "token", "tokens")} for ${it.model}. `, it.cached === null ? "" : `${count(it.cached)} from the cache, ${count(it.tokens - it.cached)} new. `, `${count(it.shared)} of ${count(it.characters)} characters as in the prompt before.`),
    sections.length > 0 && [bar("Prompt by section, in characters", sections.map(([name, , size]) => [name, size])), table("Prompt by section", ["Section", "Characters"], sections.map(([name, , size], at) => [[tone(at), name], count(size)]))],
    it.tiers && empty(`Memories: ${it.tiers}.`), it.left_out.length > 0 && empty(`Left out for want of room: ${it.left_out.join(", ")}.`),
    it.before ? h("details", { key: "difference", open: true }, h("summary", {}, `Difference to the prompt before (${it.before})`), difference(it)) : empty("There was no prompt before."), more, whole];
}

// What is new and what is gone, line by line, from one text to another.
export function difference({ difference: lines, more }) {
  const marks = { new: ["ins", "New"], gone: ["del", "Gone"] };
  return [h("ul", { class: "difference" }, lines.map(([kind, text]) => kind === "same" ? h("li", { class: "quiet" }, `${plural(Number(text), "line", "lines")} as before`) : h("li", {}, h("span", { class: "unseen" }, `${marks[kind][1]}: `), h(marks[kind][0], {}, text || " ")))), more > 0 && empty(`${plural(more, "line", "lines")} more.`)];
}

function answer({ answer: { thought, reply, objection, first, first_objection: why }, prompt: { seconds, written } }) {
  return [first !== undefined && h("p", {}, "The first answer was rejected: ", h("q", {}, first), why && ` Because ${why}.`), thought && h("details", { key: "thought" }, h("summary", {}, "Thought"), h("p", { class: "words" }, thought)), h("p", { class: "words" }, reply), objection && h("p", {}, `Rejected, because ${objection}.`), empty(`${plural(written, "token", "tokens")} in ${seconds} s.`)];
}

function results({ agent, results: all, did, asked_at: at }) {
  return [all && all.length ? h("ul", { class: "lines" }, all.map((one) => h("li", { class: "words" }, one))) : empty("Nothing came back."), did && h("p", {}, link(["memory", agent, did], `Memory ${count(did)}`)), at && empty(`Asked at ${at.slice(0, 19).replace("T", " ")} (UTC).`)];
}

