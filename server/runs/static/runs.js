// The start page of runs: their figures, days and agents, where two of them part; and two runs side by side.
import "./theme.js";
import { count, empty, h, link, plural, table } from "./observatory.js";
import { difference } from "./observe-why.js";

const FIGURES = { world: "World", seed: "Seed", from: "From (UTC)", until: "Until (UTC)", turns: "Turns", acted: "Acted", refused: "Refused", speechless: "No command", silent: "Silent", failed: "Failed", requests: "Requests", prompt_tokens: "Prompt tokens", cached_tokens: "From the cache", completion_tokens: "Answer tokens", compactions: "Compactions" };
const VIEWS = [["town", "Town"], ["bonds", "Bonds"], ["chronicle", "Chronicle"]];
const LONG = 40;
const root = document.getElementById("observatory");
let told = null, frames = [];

const pageOf = (at) => `run.html?${new URLSearchParams({ run: at + 1, name: told.runs[at].name })}`;
// With one run a link leads to its page, with two to both side by side.
const address = (path) => (told.runs.length > 1 ? `#/${path}` : `${pageOf(0)}#/${path}`);
const go = (path, text, more = {}) => h("a", { href: address(path), ...more }, text);
const names = () => told.runs.map((one) => one.name).join(" and ");

function start() {
  const { runs, difference: parted } = told, agents = [...new Set(runs.flatMap((one) => one.agents.map(({ name }) => name)))];
  const days = [...new Set(runs.flatMap((one) => one.days.map(([day]) => day)))].sort(), of = (rows, name) => rows.find(([key]) => key === name)?.[1];
  const title = h("h2", { id: "seen-title", tabindex: -1 }, names());
  document.title = names();
  frames = [];
  root.classList.remove("beside");
  root.replaceChildren(h("header", {}, h("h1", {}, "Runs"), h("nav", { "aria-label": "Views" }, VIEWS.map(([view, text]) => go(view, text)))), h("main", {}, title,
    runs.flatMap((one) => one.problems.map((problem) => h("p", { class: "refusal" }, `${one.name}: ${problem}`))),
    runs.length > 1 && differs(parted),
    table("Minds", ["Agent", ...runs.map((one) => `${one.name}: memories`), "Views"], agents.map((name) => [
      go(`mind/${encodeURIComponent(name)}`, name), ...runs.map((one) => count(one.agents.find((agent) => agent.name === name)?.memories ?? 0)), [go(`memory/${encodeURIComponent(name)}`, "Memories", { "aria-label": `Memories of ${name}` }), " · ", go(`why/${encodeURIComponent(name)}`, "Why", { "aria-label": `Why ${name} did what was last` })]])),
    table("Days", ["Day", ...runs.map((one) => `${one.name}: events`)], days.map((day) => [go(`chronicle/${day}`, day), ...runs.map((one) => count(of(one.days, day) ?? 0))])),
    table("Figures", ["Figure", ...runs.map((one) => one.name)], Object.entries(FIGURES).filter(([key]) => runs.some((one) => one.figures[key] !== undefined)).map(([key, text]) => [text, ...runs.map(({ figures: { [key]: value } }) => typeof value === "number" && key !== "seed" ? count(value) : value ?? "")])),
    empty(`Shown is a copy that was made at ${runs[0].copied} (UTC). Nothing in the folder is changed.`)));
}

// The first prompt that differs, and the way to both of its minds.
function differs(parted) {
  const title = h("h3", {}, "The first prompt that differs");
  if (!parted) return [title, empty(`Every prompt of ${names()} is the same.`)];
  const [one, other] = parted.sides, paths = parted.sides.map((side) => side && (side.seq ? `why/${encodeURIComponent(side.agent)}/${side.seq}` : `mind/${encodeURIComponent(side.agent)}@${side.at}`));
  const where = parted.sides.map((side, at) => h("li", {}, `${told.runs[at].name}: `, side ? `${side.agent} at ${side.at.replace("T", " ")} (UTC), ${side.place}` : "there is no such prompt any more"));
  return [title, h("p", {}, `It is prompt ${count(parted.number)} of ${parted.agent}. `, parted.reply ? `Before it, the reply to a prompt that was the same in both differs first: ${parted.reply.agent} at ${parted.reply.at.replace("T", " ")}. ` : ""), h("ul", {}, where),
    one && other && h("p", {}, h("a", { href: `#/${paths.join("&/")}` }, "Look at both, side by side")), one && other && h("details", { open: parted.difference.length < LONG }, h("summary", {}, `What is other in ${told.runs[1].name}, line by line`), difference(parted))];
}

// Two runs beside each other: what is opened in one is opened in the other.
function beside(paths) {
  if (!frames.length) {
    frames = told.runs.map((one, at) => h("iframe", { title: one.name, src: `${pageOf(at)}#/${paths[at] ?? paths[0]}` }));
    root.classList.add("beside");
    root.replaceChildren(h("header", {}, h("h1", {}, names()), h("nav", { "aria-label": "Views" }, VIEWS.map(([view, text]) => link([view], text)), h("a", { href: "#", class: "button" }, "All runs"))),
      h("main", {}, frames.map((frame, at) => h("section", { "aria-label": told.runs[at].name }, h("h2", {}, told.runs[at].name), frame))));
    frames.forEach((frame) => frame.addEventListener("load", () => frame.contentWindow.addEventListener("hashchange", () => follow(frame.contentWindow.location.hash))));
    return;
  }
  frames.forEach((frame, at) => lead(frame, `#/${paths[at] ?? paths[0]}`));
}

function lead(frame, hash) {
  if (frame.contentWindow.location.hash !== hash) frame.contentWindow.location.replace(`${frame.contentWindow.location.pathname}${frame.contentWindow.location.search}${hash}`);
}

function follow(hash) {
  if (!hash.startsWith("#/") || location.hash.slice(2).split("&/").includes(hash.slice(2))) return;
  history.replaceState(null, "", hash);
  frames.forEach((frame) => lead(frame, hash));
}

function open() {
  if (location.hash.startsWith("#/") && told.runs.length > 1) beside(location.hash.slice(2).split("&/"));
  else start();
}

async function load() {
  root.replaceChildren(empty("One moment: the runs are read and compared."));
  try {
    told = await (await fetch("/runs")).json();
  } catch { root.replaceChildren(h("p", { class: "refusal" }, "Nobody answers. Was observe ended?")); return; }
  if (!told.runs) { root.replaceChildren(h("p", { class: "refusal" }, told.unseen)); return; }
  addEventListener("hashchange", open);
  open();
}

load();
