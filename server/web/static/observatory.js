// The observatory: which view is open, what is asked of the world for it, and how it is put on the page.
// World text is set as text nodes only. What changes by itself is drawn again part by part, and focus stays.
const SVG = "http://www.w3.org/2000/svg";
const VIEWS = {
  town: ["Town", "./observe-town.js"], feed: ["Feed", "./observe-town.js"], mind: ["Mind", "./observe-mind.js"],
  why: ["Why", "./observe-why.js"], memory: ["Memory", "./observe-memory.js"], bonds: ["Bonds", "./observe-bonds.js"],
  chronicle: ["Chronicle", "./observe-chronicle.js"], health: ["Health", "./observe-health.js"],
};
const TONES = 10;
const TIMED = ["town", "mind", "memory", "why"], WHEN = /@(\d{4}-\d\d-\d\d(?:T[\d:]*)?)$/;
const WORLD = { title: "Observatory", views: ["town", "feed", "bonds", "chronicle", "health"], home: "#", homeText: "Back to the world", end: "now" };
let time = ""; // the time of the address that is open; links to views that have a time keep it

// Make an element: attributes, `on…` listeners, `key` by which focus finds it again; children are texts or elements.
export function h(name, given = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "key") made.dataset.key = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false).map((one) => one instanceof Node ? one : String(one)));
  return made;
}

export function svg(name, given = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...children.flat());
  return made;
}

export const tone = (at) => h("span", { class: `key tone${at % TONES}`, "aria-hidden": "true" });
export const field = (id, label, control) => h("span", { class: "field" }, h("label", { for: id }, label), control);
export const href = (address, query = {}, at = time) => `#/${address.map(encodeURIComponent).join("/")}${at && TIMED.includes(address[0]) ? `@${at}` : ""}${Object.keys(query).length ? `?${new URLSearchParams(query)}` : ""}`;
export const link = (address, text, more = {}) => h("a", { href: href(address), ...more }, text);
export const second = (ms) => new Date(ms).toISOString().slice(0, 19);
export const linkAt = (address, ms, text, more = {}) => h("a", { href: href(address, {}, second(ms)), ...more }, text);
export const count = (number) => Number(number).toLocaleString("en");
export const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
export const moment = (ms) => ms ? new Date(ms).toISOString().slice(0, 19).replace("T", " ") : "";
export const clock = (ms) => new Date(ms).toISOString().slice(11, 19);
export const empty = (text) => h("p", { class: "quiet" }, text);

// A table with a caption and column headings; rows are lists of cells, the first of which names the row.
export function table(caption, columns, rows, none = "None.") {
  if (!rows.length) return [h("h3", {}, caption), empty(none)];
  return h("div", { class: "table", tabindex: 0, role: "region", "aria-label": caption, key: `table ${caption}` }, h("table", {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, columns.map((one) => h("th", { scope: "col" }, one)))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell, at) => h(at ? "td" : "th", at ? {} : { scope: "row" }, cell)))))));
}

// A bar to scale, `parts` are [name, number, class]; its numbers stand in words beside it.
export function bar(label, parts) {
  const all = parts.reduce((sum, [, number]) => sum + number, 0) || 1, wide = 1000;
  let x = 0;
  return svg("svg", { viewBox: `0 0 ${wide} 40`, class: "bar", role: "img", "aria-label": label, preserveAspectRatio: "none" },
    ...parts.filter(([, number]) => number).map(([name, number, kind], at) => {
      const width = wide * number / all, box = svg("rect", { x, y: 0, width, height: 40, class: `tone${at % TONES} ${kind || ""}` });
      box.append(svg("title"));
      box.firstChild.textContent = `${name}: ${count(number)}`;
      x += width;
      return box;
    }));
}

export class Observatory {
  // `send` sends a message to the world, `act` does a line, `can` says whether the visitor has a command; `place` has the
  // views in the menu, and where one goes back to.
  constructor(send, act, can, place = WORLD) {
    const { title, ...more } = place;
    Object.assign(this, { send, act, can, ...more, number: 0, waiting: new Map(), view: null, drawn: new Map() });
    const style = h("link", { rel: "stylesheet", href: "observatory.css" });
    document.head.append(style);
    this.title = h("h2", { id: "seen-title", tabindex: -1 });
    this.when = h("p", { id: "seen-when" });
    this.body = h("div", { id: "seen" });
    this.told = h("p", { id: "seen-told", role: "status" });
    this.words = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.asText() }, "As text");
    this.menu = h("nav", { "aria-label": "Views" });
    this.element = h("div", { id: "observatory", hidden: true },
      h("header", {}, h("a", { class: "skip", href: "#seen-title", onclick: (event) => { event.preventDefault(); this.title.focus(); } }, "Skip to the view"), h("h1", {}, title), this.menu, h("nav", { "aria-label": "Page" }, this.words, h("a", { href: this.home, class: "button" }, this.homeText))),
      h("main", {}, this.title, this.when, this.told, this.body));
    document.body.append(this.element);
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  // Open what an address names, such as #/mind/Eliza@2026-11-21T20:35 or #/memory/Eliza?words=lantern; none closes it.
  async open(address) {
    const [path, query] = address.replace(/^#\/?/, "").split("?"), when = path.match(WHEN), [name, ...rest] = path.replace(WHEN, "").split("/").map(decodeURIComponent);
    const isOpen = Boolean(VIEWS[name]);
    this.element.hidden = !isOpen;
    if (this.home === "#") document.getElementById("play").hidden = isOpen;
    if (!isOpen) { this.close(); return; }
    const isOther = this.address !== address, isSame = (this.address || "").split("?")[0] === address.split("?")[0];
    this.address = address;
    this.name = name;
    const [title, file] = VIEWS[name], module = await import(file);
    if (this.address !== address) return; // another one was opened meanwhile
    time = when && TIMED.includes(name) ? when[1] : "";
    const { form, ...given } = Object.fromEntries(new URLSearchParams(query || ""));
    this.asked = { ...given, ...module.asks(name, rest), ...(time ? { at: time } : {}) };
    this.isText = form === "text";
    this.module = module;
    if (!isOther) { this.ask(); return; }
    this.drawn.clear();
    this.body.replaceChildren(empty("One moment."));
    this.told.textContent = "";
    this.words.setAttribute("aria-pressed", String(this.isText));
    this.title.textContent = [title, ...rest.filter(Boolean)].join(" · ");
    document.title = this.title.textContent;
    this.when.replaceChildren(...(time ? [`As it was at ${time.replace("T", " ")} (UTC). `, h("a", { href: href([name, ...rest], {}, "") }, this.home === "#" ? "Now" : "The end")] : []));
    this.menu.replaceChildren(...this.views.map((one) => link([one], VIEWS[one][0], one === name ? { "aria-current": "page" } : {})));
    this.state = {};
    this.shown = null;
    this.ask();
    if (!isSame || document.activeElement !== this.words) this.title.focus(); // else it is told as text, or drawn again
  }

  // Show play again: it has come to an end, or goes on in another window.
  hide() { this.element.hidden = true; document.getElementById("play").hidden = false; this.close(); }

  close() { if (this.name) this.send({ view: "" }); this.name = this.address = null; this.waiting.clear(); }

  // Ask for the view that is open; also after the socket was lost.
  ask() {
    if (!this.name) return;
    if (this.isText) { this.tell(); return; }
    if (!time && this.module.isLive(this.name)) { this.send({ view: this.name, ...this.asked }); return; }
    this.once(this.name, this.asked).then((shown) => this.draw(shown), (why) => this.refuse(why));
  }

  // The time of the address, as it is asked for.
  at() { return time ? { at: time } : {}; }

  // Ask for one answer.
  once(view, asked) {
    this.number += 1;
    this.send({ view, ...asked, id: this.number });
    return new Promise((done, failed) => this.waiting.set(this.number, [done, failed]));
  }

  take(item) {
    const waiting = this.waiting.get(item.id);
    if (waiting) {
      this.waiting.delete(item.id);
      if (item.seen) waiting[0](item.seen); else waiting[1](item.unseen);
    } else if (item.view === this.name && !item.id) {
      if (item.seen) this.draw(item.seen); else this.refuse(item.unseen);
    }
  }

  // A line of play: what a command has answered.
  line(item) {
    const words = item.text || (item.runs || []).map(([text]) => text).join("");
    if (!this.name || item.kind === "typed") return;
    if (this.awaits) { this.say(words); this.awaits = false; }
    else if (this.endOf && !item.kind && words.includes(this.endOf) && !words.startsWith(this.endOf)) { // how it has ended
      this.say(`${this.told.textContent}\n${words}`);
      this.endOf = "";
    }
  }

  say(text) { this.told.textContent = text.slice(0, 1000); }

  do(line) {
    this.awaits = true;
    this.endOf = /^@(compact|rebuild)-/.test(line) ? this.asked.agent : "";
    this.say(`${line} …`);
    this.act(line);
  }

  refuse(why) {
    this.drawn.clear();
    this.body.replaceChildren(h("p", { class: "refusal" }, why), h("p", {}, link(["town"], "To the town")));
  }

  draw(shown) {
    if (this.isText) return;
    if (shown.changed && !this.shown) return; // what it changes has not come
    this.shown = shown.changed ? this.module.changed(this.shown, shown.changed) : shown;
    this.module.draw(this, this.shown);
  }

  // Draw a part of the view if it is another than before; what is open and where the focus is stays.
  part(name, given, make) {
    const key = JSON.stringify(given), before = this.drawn.get(name);
    if (before && before.key === key && before.element.isConnected) return;
    const element = before && before.element.isConnected ? before.element : h("section", { "data-part": name });
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const open = new Set([...element.querySelectorAll("details[open]")].map((one) => one.dataset.key));
    const unfolded = [...element.querySelectorAll("[data-key][aria-expanded=true]")].map((one) => [one, one.nextElementSibling]);
    element.replaceChildren(...[make()].flat(Infinity).filter(Boolean));
    element.querySelectorAll("details").forEach((one) => { if (open.has(one.dataset.key)) one.open = true; });
    for (const [button, below] of unfolded) {
      const again = [...element.querySelectorAll("[data-key]")].find((one) => one.dataset.key === button.dataset.key && one.textContent === button.textContent);
      if (again) { again.nextElementSibling.replaceWith(below); again.replaceWith(button); }
    }
    if (focused) [...element.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused)?.focus();
    if (!this.drawn.size) this.body.replaceChildren();
    this.drawn.set(name, { key, element });
    if (!element.isConnected) this.body.append(element);
  }

  // The same view as text, or drawn again, under an address of its own.
  asText() {
    const [path, query] = this.address.split("?"), asked = new URLSearchParams(query || "");
    if (this.isText) asked.delete("form"); else asked.set("form", "text");
    location.hash = `${path}${asked.size ? `?${asked}` : ""}`;
  }

  async tell() {
    const { address } = this;
    this.send({ view: "" }); // nothing that changes by itself is looked at meanwhile
    try {
      const { text } = await this.once(this.name, { ...this.asked, form: "text" });
      if (this.address === address) this.body.replaceChildren(h("pre", { tabindex: 0 }, text));
    } catch (why) { if (this.address === address) this.refuse(why); }
  }

  // Up and down go through the lines of a list; Escape goes back to the world.
  key(event) {
    if (event.key === "Escape") { location.href = this.home; return; }
    if (event.defaultPrevented || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return;
    if (event.target.closest("input, select, textarea, .table, pre")) return;
    const lines = [...this.element.querySelectorAll("[data-line]")], at = lines.indexOf(document.activeElement);
    const next = lines[at < 0 ? (event.key === "ArrowUp" ? lines.length - 1 : 0) : at + (event.key === "ArrowUp" ? -1 : 1)];
    if (next) { event.preventDefault(); next.focus(); }
  }
}
