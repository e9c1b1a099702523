// Health: in one line why it is slow; then the models, their endpoints, and what each agent's last answer took.
import { count, h, link, table } from "./observatory.js";

export const asks = () => ({});
export const isLive = () => true;

export function draw(page, shown) {
  const share = (one) => one === null || one === undefined ? "unknown" : `${Math.round(100 * one)}%`, seconds = (one) => one === null || one === undefined ? "" : `${one} s`;
  page.part("why", shown.why, () => h("p", { class: "verdict", role: "status" }, h("strong", {}, shown.why)));
  page.part("models", shown.models, () => table("Models", ["Profile", "Model", "Running", "Waiting", "Answered", "Failed", "Seconds an answer", "Tokens a second", "From the cache", "In the queue", "Reading", "Writing"], shown.models.map((one) => [
    one.name, [one.model, one.failing !== null && h("span", { class: "refusal" }, ` fails: ${one.error}`)], count(one.running), count(one.waiting), count(one.answered), count(one.failed), one.seconds, one.tokens_per_second, share(one.cached_share), seconds(one.timing.queue), seconds(one.timing.prompt), seconds(one.timing.answer),
  ]), "There is no model."));
  const states = { closed: "well", open: "failing, left alone", "half-open": "failing, tried next", untried: "not tried yet" };
  page.part("endpoints", shown.endpoints, () => table("Endpoints", ["Endpoint", "State", "Running", "At most", "Answers a minute", "Seconds an answer", "Trouble"], shown.endpoints.map((one) => [one.name, states[one.state] || one.state, count(one.running), count(one.limit), count(one.per_minute), one.seconds, one.problem])));
  page.part("agents", shown.agents, () => table("Agents", ["Agent", "Now", "Last turn", "Memories", "Seconds", "Prompt tokens", "From the cache", "Answer tokens"], shown.agents.map((one) => [
    link(["mind", one.name], one.name, { key: `agent ${one.name}` }), h("span", { class: one.stage === "running" ? "spark" : "" }, one.stage || "still"), [one.outcome, one.why && `. ${one.why}`], count(one.memories), one.seconds ?? "", one.prompt_tokens === undefined ? "" : count(one.prompt_tokens), one.cached_tokens === undefined || one.cached_tokens === null ? "" : count(one.cached_tokens), one.completion_tokens === undefined ? "" : count(one.completion_tokens),
  ])));
  page.part("rest", [shown.spent, shown.late], () => h("p", { class: "quiet" }, `The server was ${shown.late} s late at worst in the last minute.`, shown.spent ? ` Spent since the start: ${shown.spent}.` : ""));
}
