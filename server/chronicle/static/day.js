// Replays the list of events below on the page: nothing is loaded, and without this script the list is all there is.
const replay = document.getElementById("replay"), list = [...document.querySelectorAll(".events li[data-at]")];
const play = document.getElementById("play"), speed = document.getElementById("speed"), slider = document.getElementById("when");
const clock = document.getElementById("clock"), feed = document.getElementById("feed");
const rooms = new Map([...document.querySelectorAll("#map [data-room]")].map((one) => [one.dataset.room, one]));
const PAUSE_MS = 4000, FEED_LINES = 200, SHOWN_PEOPLE = 3;
const events = list.map((row) => ({ row, at: Number(row.dataset.at), who: row.dataset.who, room: row.dataset.room, to: row.dataset.to }));
const start = Number(slider.min), end = Number(slider.max);
let now = start, next = 0, timer = 0, last = 0, places = new Map();

function told(ms) { return new Date(ms).toISOString().slice(11, 19); }

function place(event) { if (event.who && event.to !== undefined) { if (event.to) places.set(event.who, event.to); else places.delete(event.who); } }

function draw(busy) {
  const people = new Map();
  for (const [who, room] of places) people.set(room, [...(people.get(room) ?? []), who]);
  for (const [room, box] of rooms) {
    const here = people.get(room) ?? [], rest = here.length - SHOWN_PEOPLE;
    box.querySelector(".people").textContent = here.slice(0, SHOWN_PEOPLE).join(", ") + (rest > 0 ? ` +${rest}` : "");
    box.classList.toggle("busy", room === busy);
  }
  clock.textContent = told(now);
  slider.value = String(now);
  slider.setAttribute("aria-valuetext", told(now));
}

function show(event) {
  place(event);
  const line = event.row.cloneNode(true);
  line.removeAttribute("id");
  for (const part of line.querySelectorAll(".place")) part.remove();
  feed.append(line);
  while (feed.children.length > FEED_LINES) feed.firstChild.remove();
  feed.scrollTop = feed.scrollHeight;
}

function seek(ms) {
  now = ms;
  places = new Map(Object.entries(JSON.parse(replay.dataset.places)));
  feed.replaceChildren();
  next = events.findIndex((event) => event.at > ms);
  if (next < 0) next = events.length;
  for (const event of events.slice(0, next)) place(event);
  for (const event of events.slice(Math.max(0, next - 12), next)) show(event);
  draw(events[next - 1]?.room);
}

function step(at) {
  const factor = Number(speed.value);
  now += (at - last) * factor;
  last = at;
  // Nobody watches a quiet hour: what takes longer than a few seconds on the screen is skipped.
  if (next < events.length && events[next].at - now > PAUSE_MS * factor) now = events[next].at - 1000 * factor;
  let busy = "";
  while (next < events.length && events[next].at <= now) { busy = events[next].room || busy; show(events[next]); next += 1; }
  if (next >= events.length) now = Math.min(now, end);
  if (busy) draw(busy); else { clock.textContent = told(now); slider.value = String(now); }
  if (next >= events.length) stop(); else timer = requestAnimationFrame(step);
}

function stop() { cancelAnimationFrame(timer); timer = 0; play.textContent = play.dataset.play; }

play.addEventListener("click", () => {
  if (timer) { stop(); return; }
  if (next >= events.length) seek(start);
  play.textContent = play.dataset.pause;
  last = performance.now();
  timer = requestAnimationFrame(step);
});
slider.addEventListener("input", () => seek(Number(slider.value)));
document.addEventListener("click", (event) => {
  const from = event.target.closest?.("[data-seek]");
  if (!from) return;
  stop();
  seek(Number(from.dataset.seek) - 1);
  replay.scrollIntoView({ block: "start" });
  play.focus();
});
if (events.length) {
  for (const hidden of document.querySelectorAll("[data-scripted]")) hidden.hidden = false;
  seek(start);
}
