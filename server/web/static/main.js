// The page: the door, then play.
import { Around } from "./around.js";
import { ask, Link } from "./link.js";
import { fill, Log } from "./log.js";
import { Settings, showHelp } from "./settings.js";
import { Typing } from "./typing.js";

const DAY = 86400000;
const $ = (id) => document.getElementById(id);
let world = { name: "Fallwater" }, isIn = false, news = 0, observatory = null;

const log = new Log($("log"), $("newer"));
const settings = new Settings((name) => name === "reader" && link.tellReader());
const link = new Link(hear, change, () => settings.reader);
const typing = new Typing($("typing"), $("line"), $("secret"), $("hint"), (text, isSecret) => {
  const number = link.say(text, isSecret);
  if (!isSecret && text.trim()) log.typed(text, number);
  return number;
});
const around = new Around((line) => { log.typed(line, link.say(line)); closeAround(); }, (start) => { closeAround(); typing.put(start); });

// The observatory is loaded when an address asks for it, such as #/town.
async function look() {
  if (!isIn || (!observatory && !location.hash.startsWith("#/"))) return;
  if (!observatory) {
    const { Observatory } = await import("./observatory.js");
    observatory ??= new Observatory((message) => link.send(message), (line) => link.say(line), (verb) => typing.commands.some((one) => one.usage.split(" ")[0] === verb));
  }
  await observatory.open(location.hash);
  if (observatory.element.hidden) { title(); typing.focus(); }
}
addEventListener("hashchange", look);

function hear(item) {
  if (item.seen !== undefined) { observatory?.take(item); return; }
  if (item.n) observatory?.line(item);
  if (item.n) {
    if (item.kind === "typed" && item.page === link.page) typing.keep(item.typed, item.text);
    if (log.line(item, link.page) !== "typed" && document.hidden) { news += 1; title(); settings.sound(); }
  } else if (item.hello) {
    if (!item.hello.goes_on) log.clear();
  } else if (item.took) {
    log.took(item.took);
    typing.took(item.took);
  } else if (item.untaken) {
    log.untaken(item.untaken, item.why);
  } else if (item.data === "Fallwater.Commands") {
    typing.commands = item.payload.commands.map((one) => ({ ...one, about: one.about.replace(/`([^`]+)`/g, "“$1”") }));
    typing.suggest(); // of a line that was begun before they came
  } else if (item.data) {
    around.take(item.data, item.payload);
    typing.words = around.words;
  } else if (item.prompt !== undefined) {
    $("line-label").textContent = item.prompt || "What you do";
    $("line-label").classList.toggle("unseen", !item.prompt);
    typing.ask(item.hidden);
  }
}

function change(state, told) {
  $("state").textContent = state === "on" ? "" : state === "off" ? "Connection lost. Trying again…" : "";
  const wasOver = !$("over").hidden;
  $("over").hidden = state === "on" || state === "off";
  $("typing").hidden = $("exits").hidden = !$("over").hidden;
  if (state !== "on" && state !== "off") observatory?.hide();
  if (state === "on") {
    if (!isIn) { showPlay(); look(); } else { observatory?.ask(); if (wasOver) typing.focus(); }
  } else if (state === "elsewhere") $("over-told").textContent = "You play on in another window.";
  else if (state === "over") $("over-told").textContent = "You are not in the world any more.";
  else if (state === "refused") showDoor(told);
  if (isIn && !$("over").hidden && !document.querySelector("dialog[open]")) $("again").focus();
}

function title() { document.title = news ? `(${news}) ${world.name}` : world.name; }
document.addEventListener("visibilitychange", () => { if (!document.hidden) { news = 0; title(); } });

function showPlay() {
  isIn = true;
  $("door").hidden = true;
  $("play").hidden = false;
  log.toEnd();
  typing.focus();
}

async function showDoor(told = "") {
  isIn = false;
  $("play").hidden = true;
  $("door").hidden = false;
  $("door-told").textContent = told;
  $("chosen-row").hidden = true;
  $("password").hidden = $("password-label").hidden = false;
  $("guest-row").hidden = $("guest-about").hidden = world.guests === false;
}

async function enter(given) {
  $("door-told").textContent = "";
  try {
    const answer = await ask("/enter", given);
    if (answer.ticket) {
      log.pending.clear();
      log.clear();
      $("password").value = $("chosen").value = "";
      link.forget();
      link.begin(answer.ticket, false);
      return;
    }
    $("door-told").textContent = answer.told || "That did not work.";
    const wants = answer.asks === "new" || answer.asks === "own";
    $("chosen-row").hidden = !wants;
    $("password").hidden = $("password-label").hidden = answer.asks === "new";
    if (wants) $("chosen").focus(); else $(answer.asks === "password" ? "password" : "name").focus();
  } catch {
    $("door-told").textContent = "The world does not answer. Try again in a moment.";
  }
}

$("guest").addEventListener("click", () => enter({ name: "guest" }));
$("name").addEventListener("input", () => { $("chosen-row").hidden = true; $("password").hidden = $("password-label").hidden = false; });
$("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  enter({ name: $("name").value, password: $("password").value, chosen: $("chosen-row").hidden ? "" : $("chosen").value });
});
$("again").addEventListener("click", async () => {
  const given = await ask("/ticket", {}).catch(() => ({}));
  if (given.ticket) link.begin(given.ticket, false); else showDoor(given.told);
});
$("leave").addEventListener("click", async () => {
  link.isOver = true;
  await ask("/leave", {}).catch(() => {});
  link.socket?.close();
  link.forget();
  typing.forget();
  log.clear();
  showDoor("You have left.");
});

function closeAround() { $("around").classList.remove("open"); $("around-button").setAttribute("aria-expanded", "false"); }
$("around-button").addEventListener("click", () => {
  const isOpen = $("around").classList.toggle("open");
  $("around-button").setAttribute("aria-expanded", String(isOpen));
});
$("settings-button").addEventListener("click", () => $("settings").showModal());
const help = () => showHelp(typing.commands, $("help-list"), $("help-search"), (start) => { $("help").close(); typing.put(start); });
$("help-button").addEventListener("click", () => { help(); $("help").showModal(); });
$("help-search").addEventListener("input", help);
document.addEventListener("keydown", (event) => {
  if (!isIn || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") { closeAround(); typing.focus(); }
  else if (event.key === "End" && event.ctrlKey) log.toEnd();
  else if ((event.key === "PageUp" || event.key === "PageDown") && document.activeElement === $("line")) {
    event.preventDefault();
    $("log").scrollBy({ top: $("log").clientHeight * (event.key === "PageUp" ? -0.8 : 0.8) });
  }
});

setInterval(() => isIn && ask("/ticket", {}).catch(() => {}), DAY); // so that the cookie lasts as long as the login

async function open() {
  try { world = await ask("/world"); } catch { setTimeout(open, 2000); return; }
  title();
  $("world-name").textContent = world.name;
  $("welcome").replaceChildren();
  fill($("welcome"), world.welcome);
  $("door-people").textContent = world.people === 1 ? "One person is in the world now." : world.people ? `${world.people} people are in the world now.` : "";
  $("name-about").textContent = world.new_accounts ? "Give yours, or a new one, and the world keeps your place." : "Give yours, if you have one here.";
  const given = world.known ? await ask("/ticket", {}).catch(() => ({})) : {};
  if (given.ticket) link.begin(given.ticket, true); else showDoor();
}
open();
