// Chronicle: days and hours, the top moments with the lines that they are made of, and an hour with its replay.
import { count, empty, field, h, link, linkAt, plural, svg } from "./observatory.js";
import { Replay } from "./replay.js";

const SPEEDS = [1, 2, 5, 10, 20, 50, 100], FIRST_SPEED = 20, CELL = 150, ROW = 66, WIDTH = 136, HEIGHT = 46, LONGEST_NAME = 20;
const MOST = 5000;

export const asks = (name, [period]) => (period ? { period } : {});
export const isLive = () => false;

const time = (ms) => h("time", { datetime: new Date(ms).toISOString() }, new Date(ms).toISOString().slice(11, 19));
const hourOf = (ms) => new Date(ms).toISOString().slice(0, 13);

export function draw(page, shown) {
  page.part("when", [shown.period, shown.days, shown.hours], () => when(shown));
  page.part("moments", [shown.period, shown.moments], () => moments(page, shown));
  page.part("replay", [shown.period, shown.events.length], () => replay(page, shown));
  page.part("events", [shown.period, shown.events.length, page.asked.line], () => events(page, shown));
  page.part("problems", shown.problems, () => shown.problems.length > 0 && h("ul", {}, shown.problems.map((one) => h("li", {}, one))));
  find(page);
  if (shown.left_out && shown.period.length > 10 && shown.events.length < MOST) more(page, shown);
}

// Ask for the events that follow, as long as nobody has gone to another address.
async function more(page, shown) {
  const { address } = page;
  try {
    const next = await page.once("chronicle", { ...page.asked, period: shown.period, after: shown.last });
    if (page.address === address) page.draw({ ...shown, events: [...shown.events, ...next.events], left_out: next.left_out, last: next.last });
  } catch (why) { page.say(String(why)); }
}

function when({ period, days, hours, is_whole: isWhole }) {
  const named = (name, number) => [link(["chronicle", name], name.length > 10 ? `${name.slice(11)}:00` : name, name === period ? { "aria-current": "page" } : {}), number ? ` ${count(number)}` : ""];
  return [
    h("p", { class: "quiet" }, isWhole ? "All of it, with private reasons and whispers. " : "What was perceived where you stand. ", "Times are UTC."),
    h("nav", { "aria-label": "Days" }, h("ul", { class: "times" }, days.map(([name, number]) => h("li", {}, named(name, number))))),
    h("nav", { "aria-label": `Hours of ${period.slice(0, 10)}` }, h("ul", { class: "times" }, hours.map(([name, number]) => h("li", {}, named(name, number))))),
  ];
}

function moments(page, shown) {
  return [h("h3", {}, "Top moments"), shown.moments.length === 0 && empty("No rule has found anything."), h("ol", { class: "moments" }, shown.moments.map((one) => h("li", {},
    h("strong", {}, one.title), h("p", { class: "quiet" }, time(one.at), one.room && ` · ${one.room} `, h("button", { type: "button", key: `watch ${one.at} ${one.title}`, "aria-label": `Watch: ${one.title}`, onclick: () => watch(page, shown, one.at) }, "Watch")),
    one.quotes.map((quote) => h("blockquote", {}, h("p", {}, h("a", { href: `#/chronicle/${hourOf(quote.at)}?line=${quote.n}`, "data-line": true, key: `quote ${one.title} ${quote.n}` }, quote.text)), h("p", { class: "place" }, quote.places.join(" · ")))))))];
}

// Play from a moment on: here if it is shown here, else in its hour.
function watch(page, shown, at) {
  const { replay: playing } = page.state;
  if (playing && shown.events.some((one) => one.at >= at)) {
    playing.stop();
    playing.seek(at - 1);
    playing.play.scrollIntoView({ block: "center" });
    playing.play.focus();
  } else location.hash = `#/chronicle/${hourOf(at)}`;
}

function row(one, isWhole) {
  return [isWhole ? linkAt(["town"], one.at, time(one.at), { title: "Who was where" }) : time(one.at), one.room && h("span", { class: "place" }, one.room), h("span", { class: "words", "data-line": true, tabindex: -1 }, one.text, one.secret && h("span", { class: "secret" }, ` ${one.secret}`), one.reason && h("span", { class: "told-reason" }, ` ${one.reason}`))];
}

function replay(page, shown) {
  page.state.replay?.stop();
  page.state.replay = null;
  if (!shown.events.length) return [];
  const first = shown.events[0].at - 1, last = shown.events[shown.events.length - 1].at;
  const controls = {
    play: h("button", { type: "button", class: "main", key: "play" }, "Play"),
    speed: h("select", { id: "replay-speed", key: "speed" }, SPEEDS.map((one) => h("option", { value: one, selected: one === FIRST_SPEED }, `${one} ×`))),
    slider: h("input", { type: "range", min: first, max: last, value: first, step: 1, "aria-label": "Time", key: "slider" }),
    clock: h("output", {}, ""),
    feed: h("ol", { class: "feed replayed", tabindex: 0, "aria-label": "What is replayed", key: "feed" }),
  };
  const rooms = new Map(), map = drawn(shown.map, rooms);
  const events = shown.events.map((one) => ({ ...one, line: () => h("li", {}, row(one, shown.is_whole)) }));
  page.state.replay = new Replay(controls, rooms, events, shown.before);
  return [h("h3", {}, "Replay"), h("div", { class: "acts" }, controls.play, field("replay-speed", "Speed", controls.speed), controls.clock, controls.slider),
    h("div", { class: "stage" }, h("div", { class: "map", tabindex: 0, role: "group", "aria-label": "Map", key: "map" }, map), controls.feed)];
}

function drawn({ rooms, ways }, boxes) {
  const middle = new Map(rooms.map(([room, , east, south]) => [room, [CELL * (east + 0.5), ROW * (south + 0.5)]]));
  const wide = CELL * (Math.max(...rooms.map(([, , east]) => east), 0) + 1), high = ROW * (Math.max(...rooms.map(([, , , south]) => south), 0) + 1);
  const lines = ways.map(([one, other]) => svg("line", { x1: middle.get(one)[0], y1: middle.get(one)[1], x2: middle.get(other)[0], y2: middle.get(other)[1] }));
  return svg("svg", { class: "town", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": "Map: who is where" }, ...lines, ...rooms.map(([room, name]) => {
    const [x, y] = middle.get(room), short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
    const box = svg("g", {}, svg("rect", { x: x - WIDTH / 2, y: y - HEIGHT / 2, width: WIDTH, height: HEIGHT, rx: 6 }), svg("text", { x, y: y - 5, class: "room-name" }, short), svg("text", { x, y: y + 13, class: "people" }));
    boxes.set(room, box);
    return box;
  }));
}

function events(page, shown) {
  const line = Number(page.asked.line || 0);
  return [h("h3", {}, "What happened"), shown.events.length === 0 && empty("Nothing that you may read."),
    h("ol", { class: "feed", tabindex: 0, "aria-label": "What happened", key: "events" }, shown.events.map((one) => h("li", { "data-n": one.n, class: one.n === line ? "wanted" : null, title: one.place }, row(one, shown.is_whole)))),
    shown.left_out > 0 && h("p", {}, `${plural(shown.left_out, "more event", "more events")}. `, h("button", { type: "button", key: "more", onclick: () => more(page, shown) }, "Show more"))];
}

// Go to the line that the address names, once.
function find(page) {
  if (!page.asked.line || page.state.found === page.address) return;
  const wanted = page.body.querySelector(`[data-n="${Number(page.asked.line)}"] [data-line]`);
  if (!wanted) return;
  page.state.found = page.address;
  wanted.scrollIntoView({ block: "center" });
  wanted.focus();
}
