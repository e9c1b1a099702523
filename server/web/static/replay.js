// Replays events on a map and in a feed. It loads nothing, and is also part of the days that are exported as one file.
const PAUSE_MS = 4000, FEED_LINES = 200, BEFORE_LINES = 12, SHOWN_PEOPLE = 3;

const clockOf = (ms) => new Date(ms).toISOString().slice(11, 19);

export class Replay {
  // `controls` are the elements play, speed, slider, clock and feed; `rooms` a map from rooms to their drawn boxes, which
  // have a .people; `events` are {at, who, room, to, line}, where `to` is the room in which `who` is from then on, and
  // `line` makes the line for the feed; `places` says who was where before.
  constructor(controls, rooms, events, places) {
    Object.assign(this, controls, { rooms, events, before: places, now: 0, next: 0, timer: 0, last: 0, places: new Map() });
    this.play.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    this.seek(Number(this.slider.min));
  }

  draw(busy) {
    const people = new Map();
    for (const [who, room] of this.places) people.set(room, [...(people.get(room) ?? []), who]);
    for (const [room, box] of this.rooms) {
      const here = people.get(room) ?? [], rest = here.length - SHOWN_PEOPLE;
      box.querySelector(".people").textContent = here.slice(0, SHOWN_PEOPLE).join(", ") + (rest > 0 ? ` +${rest}` : "");
      box.classList.toggle("busy", room === busy);
    }
    this.tick();
  }

  tick() {
    this.clock.textContent = clockOf(this.now);
    this.slider.value = String(this.now);
    this.slider.setAttribute("aria-valuetext", clockOf(this.now));
  }

  place({ who, to }) {
    if (!who || to === undefined) return;
    if (to) this.places.set(who, to); else this.places.delete(who);
  }

  show(event) {
    this.place(event);
    this.feed.append(event.line());
    while (this.feed.children.length > FEED_LINES) this.feed.firstChild.remove();
    this.feed.scrollTop = this.feed.scrollHeight;
  }

  seek(ms) {
    this.now = ms;
    this.places = new Map(Object.entries(this.before));
    this.feed.replaceChildren();
    const next = this.events.findIndex((event) => event.at > ms);
    this.next = next < 0 ? this.events.length : next;
    const from = Math.max(0, this.next - BEFORE_LINES);
    this.events.slice(0, from).forEach((event) => this.place(event));
    this.events.slice(from, this.next).forEach((event) => this.show(event));
    this.draw(this.events[this.next - 1]?.room);
  }

  step(at) {
    const { events } = this, factor = Number(this.speed.value);
    if (!this.play.isConnected) { this.stop(); return; }
    this.now += (at - this.last) * factor;
    this.last = at;
    // Nobody watches a quiet hour: what takes longer than a few seconds on the screen is skipped.
    if (this.next < events.length && events[this.next].at - this.now > PAUSE_MS * factor) this.now = events[this.next].at - 1000 * factor;
    let busy = "";
    while (this.next < events.length && events[this.next].at <= this.now) {
      busy = events[this.next].room || busy;
      this.show(events[this.next]);
      this.next += 1;
    }
    if (busy) this.draw(busy); else this.tick();
    if (this.next < events.length) this.timer = requestAnimationFrame((time) => this.step(time)); else this.stop();
  }

  toggle() {
    if (this.timer) { this.stop(); return; }
    if (this.next >= this.events.length) this.seek(Number(this.slider.min));
    this.play.textContent = "Pause";
    this.last = performance.now();
    this.timer = requestAnimationFrame((time) => this.step(time));
  }

  stop() {
    cancelAnimationFrame(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }
}
