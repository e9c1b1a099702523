// One run: the views of the observatory, over files in which nothing goes on any more.
import "./theme.js";
import { Observatory } from "./observatory.js";

const about = new URLSearchParams(location.search), run = about.get("run") || "1", isFramed = window.parent !== window;
const place = { title: about.get("name") || "Run", views: ["town", "bonds", "chronicle"], home: "/", homeText: "All runs", end: "at the end" };
const page = new Observatory(ask, () => {}, () => false, place);

async function ask({ view, id, ...asked }) {
  if (!view) return;
  let item = { seen: null, unseen: "Nobody answers any more. Was observe ended?" };
  try {
    item = await (await fetch(`/view?${new URLSearchParams({ run, view, ...asked })}`)).json();
  } catch { /* told below */ }
  page.take({ ...item, view, id });
}

function open() {
  if (location.hash.startsWith("#/")) page.open(location.hash);
  else if (!isFramed) location.replace("/");
}

document.documentElement.classList.toggle("framed", isFramed);
addEventListener("hashchange", open);
open();
