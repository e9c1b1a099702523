// The link to the world: requests, one socket at a time, and numbers by which nothing is lost or done twice.
const FIRST_WAIT = 400, LONGEST_WAIT = 5000, ANSWER_WITHIN = 6000, PING_EVERY = 30000;
const UNDONE = "Not done", UNKNOWN = "It is not known whether this was done";

export async function ask(path, given, signal) {
  const answer = await fetch(path, given === undefined ? { signal } : {
    signal,
    method: "POST",
    headers: { "content-type": "application/json", "x-fallwater": "1" },
    body: JSON.stringify(given),
  });
  return { ok: answer.ok, status: answer.status, ...(await answer.json().catch(() => ({}))) };
}

export class Link {
  // `heard` is given each item in order; `changed` is told "on", "off" or why it is over; `reader` whether its player listens.
  constructor(heard, changed, reader) {
    Object.assign(this, { heard, changed, reader, stream: "", last: 0, socket: null, wait: FIRST_WAIT, isOver: true });
    this.page = [...crypto.getRandomValues(new Uint8Array(9))].map((one) => one.toString(36)).join("");
    this.typed = 0;
    this.waiting = []; // what was typed and is not known to have arrived
    addEventListener("online", () => this.soon());
    document.addEventListener("visibilitychange", () => document.hidden || this.check());
    setInterval(() => document.hidden || this.check(), PING_EVERY); // a cable that nobody pulled out says nothing
  }

  begin(ticket, resumes) {
    this.isOver = false;
    this.wait = FIRST_WAIT;
    this.open(ticket, resumes);
  }

  say(text, secret = false) {
    this.typed += 1;
    const line = { line: text, number: this.typed, ...(secret && { secret }) };
    this.waiting.push(line);
    if (this.isReady) this.expect(line);
    return this.typed;
  }

  // What is not known to have arrived is sent to no other login, and not when somebody comes in again much later.
  giveUp(why) {
    const numbers = this.waiting.map((line) => line.number);
    this.waiting = [];
    if (numbers.length) this.heard({ untaken: numbers, why });
  }

  forget() { this.stream = ""; this.waiting = []; }

  tellReader() { this.send({ reader: this.reader() }); }

  send(message) {
    if (this.isReady && this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // Whatever is heard is an answer; without one the line is dead, and another is opened.
  expect(message) {
    this.send(message);
    clearTimeout(this.silent);
    this.silent = setTimeout(() => this.drop(), ANSWER_WITHIN);
  }

  open(ticket, resumes) {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`, ["page.fallwater"]);
    this.socket?.close();
    this.socket = socket;
    this.isReady = false;
    socket.onopen = () => {
      const reader = this.told = this.reader();
      socket.send(JSON.stringify({ ticket, stream: this.stream, last: this.last, page: this.page, resumes, reader }));
    };
    socket.onmessage = (event) => {
      if (socket !== this.socket) return;
      clearTimeout(this.silent);
      for (const item of JSON.parse(event.data)) this.take(item);
    };
    socket.onclose = () => { if (socket === this.socket) this.lost(); };
  }

  take(item) {
    let untaken = "";
    if (item.n) {
      if (item.n <= this.last) return; // shown before
      this.last = item.n;
    } else if (item.hello) {
      if (!item.hello.goes_on) {
        this.last = 0;
        if (this.stream) untaken = UNKNOWN; // a power cut took what the server knew
      }
      this.stream = item.hello.stream;
      this.isReady = true;
      this.isSecond = false;
      this.wait = FIRST_WAIT;
      this.arrived(item.hello.took);
      this.typed = Math.max(this.typed, item.hello.took);
      if (this.reader() !== this.told) this.tellReader();
      if (!untaken) for (const line of this.waiting) this.send(line);
      this.changed("on");
    } else if (item.took) {
      this.arrived(item.took);
    } else if (item.end && item.end !== "restart") {
      this.isOver = true;
      untaken = UNDONE;
      this.changed(item.end);
    } else if (item.refused !== undefined && !this.isSecond) {
      this.isSecond = true; // a restart forgets tickets: another is asked for once
      return;
    } else if (item.refused !== undefined) {
      this.isOver = true;
      untaken = UNKNOWN;
      this.changed("refused", item.refused);
    }
    this.heard(item);
    if (untaken) this.giveUp(untaken);
  }

  arrived(number) { this.waiting = this.waiting.filter((line) => line.number > number); }

  lost() {
    clearTimeout(this.silent);
    this.isReady = false;
    this.socket = null;
    if (this.isOver) return;
    this.changed("off");
    this.again = setTimeout(() => this.resume(), this.wait * (0.7 + Math.random() * 0.6));
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  soon() {
    if (this.isOver || this.socket) return;
    clearTimeout(this.again);
    this.resume();
  }

  check() {
    if (this.isOver) return;
    if (!this.socket) return this.soon();
    this.expect({ ping: 1 });
  }

  drop() {
    const socket = this.socket;
    this.lost();
    socket?.close();
  }

  async resume() {
    if (this.socket || this.isOver) return;
    try {
      const given = await ask("/ticket", {}, AbortSignal.timeout(ANSWER_WITHIN));
      if (given.ticket) this.open(given.ticket, true);
      else if (given.ok) { this.isOver = true; this.changed("refused", given.told || ""); this.giveUp(UNKNOWN); }
      else this.lost();
    } catch { this.lost(); }
  }
}
