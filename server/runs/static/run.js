// One run: the views of the observatory, over files in which nothing happens any more.
import { Observatory, h } from "./observatory.js";

const START = "#/chronicle";
const GONE = "There is no answer. Was observe ended?";

const dark = matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => document.documentElement.classList.toggle("dark", dark.matches);
const refusal = (text) => h("p", { class: "refusal" }, text);
let page = null;

async function ask({ view, id, ...asked }) {
  if (!view) return;
  let answer = { seen: null, unseen: GONE };
  try {
    answer = await (await fetch(`/view?${new URLSearchParams({ view, ...asked })}`)).json();
  } catch { /* the answer says so */ }
  page.take({ ...answer, view, id });
}

function open() {
  if (location.hash.startsWith("#/")) page.open(location.hash);
  else location.replace(START);
}

async function start() {
  let run = { name: "Run", problems: [GONE] };
  try {
    run = await (await fetch("/run")).json();
  } catch { /* the problem says so */ }
  const place = { title: run.name, views: ["town", "bonds", "chronicle"], home: START, homeText: "All days", end: "at the end" };
  page = new Observatory(ask, () => {}, () => false, place);
  document.querySelector("#observatory header").after(...run.problems.map(refusal));
  addEventListener("hashchange", open);
  open();
}

dark.addEventListener("change", applyTheme);
applyTheme();
start();
