// Town and Feed: who is where, who thinks, and what happens, as it reads.
import { clock, empty, field, h, href, link, linkAt, svg, table } from "./observatory.js";

const WIDE = 150, HIGH = 92, MOST = 500, SHORT = 20;
const KINDS = ["speech", "private", "pose", "movement", "action", "thought", "refusal", "board", "building", "ambience"];

export const asks = () => ({});
export const isLive = () => true;

export function draw(page, shown) {
  if (page.name === "town") drawTown(page, shown); else drawFeed(page, shown);
}

// The town with those rooms put in that are others, by their numbers.
export const changed = (shown, rooms) => ({ ...shown, rooms: shown.rooms.map((one, number) => rooms[number] || one) });

function person(one) {
  const name = one.is_agent ? link(["mind", one.name], one.name, { key: `person ${one.name}` }) : one.name;
  const about = one.thinks ? "thinking" : one.waits ? "waiting for the model" : one.still ? "resting" : "";
  const speaks = one.speaks && h("span", { class: "speech" }, " speaking");
  return h("span", { class: "person" }, name, about && h("span", { class: one.thinks ? "spark" : "quiet" }, ` ${about}`), speaks);
}

function drawTown(page, shown) {
  page.part("map", [shown.rooms, shown.ways, shown.others, page.state.room], () => map(page, shown));
  drawRoom(page, shown);
  page.part("rooms", [shown.rooms, shown.others], () => table("Who is where", ["Room", "Who", "Other ways out"], shown.rooms.map((room, number) => [
    h("button", { type: "button", class: "sentence", key: `row ${room.name}`, onclick: () => choose(page, shown, number) }, room.name), room.people.length ? room.people.map((one, at) => [at > 0 && ", ", person(one)]) : "nobody",
    shown.others.filter((one) => one.from === number).map((one) => `${one.exit} to ${one.name}`).join(", "),
  ])));
  if (shown.left_out) page.part("left out", shown.left_out, () => empty(`${shown.left_out} rooms are not shown.`));
}

// The room that was chosen on the map or in the table: who is there, where it leads, and its part of the feed.
function drawRoom(page, shown) {
  const number = shown.rooms.findIndex((one) => one.name === page.state.room), room = shown.rooms[number];
  const ways = room ? [...shown.ways.filter((one) => one.includes(number)).map(([one, other]) => shown.rooms[one === number ? other : one].name), ...shown.others.filter((one) => one.from === number).map((one) => one.name)] : [];
  page.part("room", [room, ways], () => !room ? empty("Choose a room to see who is there, or a name to see the mind.") : [
    h("h3", { tabindex: -1, key: "room" }, room.name),
    h("ul", {}, room.people.length ? room.people.map((one) => h("li", {}, person(one))) : h("li", { class: "quiet" }, "nobody")),
    h("p", {}, ways.length > 0 && `Leads to ${[...new Set(ways)].join(", ")}. `, page.views.includes("feed") ? h("a", { href: href(["feed"], { room: room.name }), key: "feed" }, "What happens here") : h("a", { href: href(["chronicle"]), key: "chronicle" }, "What happened"))]);
}

function choose(page, shown, number) {
  page.state.room = shown.rooms[number].name;
  drawTown(page, page.shown);
  page.body.querySelector("[data-key=room]").focus();
}

// The arrow keys go to the next link of the map in their direction, so that Tab passes the map in one step.
function walk(event) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key], from = event.target.closest("a");
  if (!way || !from) return;
  const middle = (one) => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }, [x, y] = middle(from);
  const far = (one) => { const [there, down] = middle(one), ahead = (there - x) * way[0] + (down - y) * way[1], aside = Math.abs((there - x) * way[1]) + Math.abs((down - y) * way[0]); return ahead > 2 ? ahead + 2 * aside : Infinity; };
  const all = [...event.currentTarget.querySelectorAll("a")].filter((one) => one !== from).sort((one, other) => far(one) - far(other));
  event.preventDefault();
  if (all.length && far(all[0]) < Infinity) {
    from.setAttribute("tabindex", -1);
    all[0].setAttribute("tabindex", 0);
    all[0].focus();
  }
}

function map(page, shown) {
  const { rooms, ways, others } = shown, left = Math.min(...rooms.map((one) => one.x)), top = Math.min(...rooms.map((one) => one.y));
  const at = (room) => [(room.x - left) * WIDE + WIDE / 2, (room.y - top) * HIGH + HIGH / 2];
  const width = (Math.max(...rooms.map((one) => one.x)) - left + 1) * WIDE, height = (Math.max(...rooms.map((one) => one.y)) - top + 1) * HIGH;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "town", role: "group", width, height, "aria-label": "Map of the town. The table below says the same in words." });
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
  rooms.forEach((room, number) => {
    const [x, y] = at(room), thinks = room.people.some((one) => one.thinks), isChosen = room.name === page.state.room;
    const who = room.people.map((one) => one.name).join(", ") || "nobody";
    const box = svg("a", { href: href(["town"]), class: "room", tabindex: number ? -1 : 0, "aria-label": `${room.name}: ${who}`, "data-key": `room ${room.name}` },
      svg("rect", { x: x - WIDE / 2 + 7, y: y - HIGH / 2 + 7, width: WIDE - 14, height: HIGH - 14, rx: 9 }), words("room-name", x, y - 20, room.name));
    box.addEventListener("click", (event) => { event.preventDefault(); choose(page, shown, number); });
    const group = svg("g", { class: `${thinks ? "thinks" : room.people.length ? "peopled" : ""}${isChosen ? " chosen" : ""}` }, box);
    room.people.slice(0, 3).forEach((one, place) => group.append(named(one, x, y + 2 + place * 16)));
    if (room.people.length > 3) group.append(words("name", x + WIDE / 2 - 24, y + 34, `+${room.people.length - 3}`));
    drawing.append(group);
  });
  const region = h("div", { class: "map", role: "region", "aria-label": "Map" }, drawing);
  region.addEventListener("keydown", walk);
  return region;
}

// A name on the map; that of an agent leads to its mind.
function named(one, x, y) {
  const text = words(one.thinks ? "name spark" : one.speaks ? "name speaks" : "name", x, y, `${one.name}${one.thinks ? " …" : one.speaks ? " “”" : ""}`);
  return one.is_agent ? svg("a", { href: href(["mind", one.name]), tabindex: -1, "data-key": `on the map ${one.name}` }, text) : text;
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
    h("p", { class: "quiet" }, "Up and down go from line to line. Enter on one asks why. Times are UTC."), state.list, state.newer]);
}

const isAtEnd = (list) => list.scrollHeight - list.scrollTop - list.clientHeight < 60;

function fits({ who, room, kind }, one) {
  const has = (text, wanted) => !wanted || (text || "").toLowerCase().includes(wanted.trim().toLowerCase());
  return has(`${one.who} ${one.to || ""}`, who.value) && has(one.room, room.value) && (!kind.value || one.kind === kind.value);
}

// The time of an entry, which leads to the mind of then, or to who was where; through the window it leads nowhere.
function when(one) {
  const shown = h("time", { datetime: new Date(one.at).toISOString() }, clock(one.at));
  return one.seq === undefined ? shown : linkAt(one.seq ? ["mind", one.who] : ["town"], one.at, shown, { title: one.seq ? "The mind then" : "Who was where" });
}

function entry(one) {
  const line = one.seq ? link(["why", one.who, one.seq], one.text, { "data-line": true, key: `entry ${one.n}`, title: "Why?" }) : h("span", { "data-line": true, tabindex: -1, key: `entry ${one.n}` }, one.text);
  return h("li", { class: one.kind }, when(one), one.room && h("span", { class: "place" }, one.room), line, one.reason && h("span", { class: "reason" }, one.reason));
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
