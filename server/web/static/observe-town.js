// Town and Feed: who is where, who thinks, and what happens, as it reads.
import { clock, empty, field, h, link, svg, table } from "./observatory.js";

const WIDE = 150, HIGH = 92, MOST = 500, SHORT = 20;
const KINDS = ["speech", "private", "pose", "movement", "action", "thought", "refusal", "board", "building", "ambience"];

export const asks = () => ({});
export const isLive = () => true;

export function draw(page, shown) {
  if (page.name === "town") drawTown(page, shown); else drawFeed(page, shown);
}

function person(one) {
  const name = one.is_agent ? link(["mind", one.name], one.name, { key: `person ${one.name}` }) : one.name;
  const about = one.thinks ? "thinking" : one.waits ? "waiting for the model" : one.still ? "resting" : "";
  const speaks = one.speaks && h("span", { class: "speech" }, " speaking");
  return h("span", { class: "person" }, name, about && h("span", { class: one.thinks ? "spark" : "quiet" }, ` ${about}`), speaks, " ");
}

function drawTown(page, shown) {
  page.part("map", [shown.rooms, shown.ways, shown.others], () => map(shown));
  page.part("rooms", [shown.rooms, shown.others], () => table("Who is where", ["Room", "Who", "Other ways out"], shown.rooms.map((room, number) => [
    room.name, room.people.length ? room.people.map(person) : "nobody",
    shown.others.filter((one) => one.from === number).map((one) => `${one.exit} to ${one.name}`).join(", "),
  ])));
  if (shown.left_out) page.part("left out", shown.left_out, () => empty(`${shown.left_out} rooms are not shown.`));
}

function map({ rooms, ways, others }) {
  const left = Math.min(...rooms.map((one) => one.x)), top = Math.min(...rooms.map((one) => one.y));
  const at = (room) => [(room.x - left) * WIDE + WIDE / 2, (room.y - top) * HIGH + HIGH / 2];
  const width = (Math.max(...rooms.map((one) => one.x)) - left + 1) * WIDE, height = (Math.max(...rooms.map((one) => one.y)) - top + 1) * HIGH;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "town", role: "img", width, height, "aria-label": "Map of the town. The table below says the same in words." });
  for (const { from, to, exit, name } of others.filter((one) => one.to >= 0)) {
    const [x1, y1] = at(rooms[from]), [x2, y2] = at(rooms[to]), way = svg("line", { x1, y1, x2, y2, class: "other" }), about = svg("title");
    about.textContent = `${exit} to ${name}`;
    way.append(about);
    drawing.append(way);
  }
  for (const [one, other] of ways) {
    const [x1, y1] = at(rooms[one]), [x2, y2] = at(rooms[other]);
    drawing.append(svg("line", { x1, y1, x2, y2 }));
  }
  for (const room of rooms) {
    const [x, y] = at(room), thinks = room.people.some((one) => one.thinks);
    const group = svg("g", { class: thinks ? "thinks" : room.people.length ? "peopled" : "" });
    group.append(svg("rect", { x: x - WIDE / 2 + 7, y: y - HIGH / 2 + 7, width: WIDE - 14, height: HIGH - 14, rx: 9 }), words("room-name", x, y - 20, room.name));
    room.people.slice(0, 3).forEach((one, number) => group.append(words(one.thinks ? "name spark" : one.speaks ? "name speaks" : "name", x, y + 2 + number * 16, `${one.name}${one.thinks ? " …" : one.speaks ? " “”" : ""}`)));
    if (room.people.length > 3) group.lastChild.textContent += ` +${room.people.length - 3}`;
    drawing.append(group);
  }
  return h("div", { class: "map", tabindex: 0, role: "region", "aria-label": "Map", key: "map" }, drawing);
}

function words(kind, x, y, text) {
  const made = svg("text", { x, y, class: kind });
  made.textContent = text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text;
  return made;
}

function drawFeed(page, shown) {
  const state = page.state;
  if (shown.entries || !state.entries) state.entries = shown.entries || [];
  const last = state.entries.at(-1)?.n ?? 0, more = (shown.more || []).filter((one) => one.n > last);
  state.entries = [...state.entries, ...more].slice(-MOST);
  if (!state.list || !state.list.isConnected) frame(page);
  if (shown.entries) fill(page);
  else if (more.length) append(page, more);
}

function frame(page) {
  const state = page.state, again = () => fill(page);
  state.who = h("input", { id: "feed-who", type: "search", value: page.asked.who || "", oninput: again, list: "feed-people" });
  state.people = h("datalist", { id: "feed-people" });
  state.room = h("input", { id: "feed-room", type: "search", value: page.asked.room || "", oninput: again });
  state.kind = h("select", { id: "feed-kind", onchange: again }, h("option", { value: "" }, "everything"), KINDS.map((one) => h("option", { value: one, selected: one === page.asked.kind }, one)));
  state.list = h("ol", { class: "feed", tabindex: 0, "aria-label": "What happens, the newest last", key: "feed" });
  state.newer = h("button", { type: "button", hidden: true, onclick: () => { state.list.scrollTop = state.list.scrollHeight; state.newer.hidden = true; state.unseen = 0; } });
  state.list.addEventListener("scroll", () => { if (isAtEnd(state.list)) { state.newer.hidden = true; state.unseen = 0; } });
  page.part("feed", "frame", () => [
    h("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, field("feed-who", "Who", state.who), state.people, field("feed-room", "Place", state.room), field("feed-kind", "Kind", state.kind)),
    h("p", { class: "quiet" }, "Up and down go from line to line. Enter on one asks why."), state.list, state.newer]);
}

const isAtEnd = (list) => list.scrollHeight - list.scrollTop - list.clientHeight < 60;

function fits({ who, room, kind }, one) {
  const has = (text, wanted) => !wanted || (text || "").toLowerCase().includes(wanted.trim().toLowerCase());
  return has(`${one.who} ${one.to || ""}`, who.value) && has(one.room, room.value) && (!kind.value || one.kind === kind.value);
}

function entry(one) {
  const line = one.seq ? link(["why", one.who, one.seq], one.text, { "data-line": true, key: `entry ${one.n}`, title: "Why?" }) : h("span", { "data-line": true, tabindex: -1, key: `entry ${one.n}` }, one.text);
  return h("li", { class: one.kind }, h("time", { datetime: new Date(one.at).toISOString() }, clock(one.at)), one.room && h("span", { class: "place" }, one.room), line, one.reason && h("span", { class: "reason" }, one.reason));
}

function fill(page) {
  const { list, people, entries } = page.state;
  list.replaceChildren(...entries.filter((one) => fits(page.state, one)).map(entry));
  if (!list.children.length) list.append(h("li", { class: "quiet" }, "Nothing yet that fits."));
  people.replaceChildren(...[...new Set(entries.map((one) => one.who))].filter(Boolean).sort().map((one) => h("option", { value: one })));
  list.scrollTop = list.scrollHeight;
}

function append(page, more) {
  const { list, newer } = page.state, found = more.filter((one) => fits(page.state, one)), wasAtEnd = isAtEnd(list);
  if (!found.length) return;
  if (list.firstElementChild?.className === "quiet") list.replaceChildren();
  list.append(...found.map(entry));
  while (list.children.length > MOST) list.firstElementChild.remove();
  if (wasAtEnd && !list.contains(document.activeElement)) { list.scrollTop = list.scrollHeight; return; }
  page.state.unseen = (page.state.unseen || 0) + found.length;
  newer.textContent = `${page.state.unseen} new`;
  newer.hidden = false;
}
