// The room's picture: ways out, people, things, and a map with its twin in words.
const CELL = 78, ROW = 58, SHORT = 12, LARGEST = 1.3, SVG = "http://www.w3.org/2000/svg";

function button(text, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

function drawn(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

// A name in two lines if it is long, each of at most SHORT letters.
function inTwo(name) {
  const cut = (text) => (text.length > SHORT ? `${text.slice(0, SHORT - 1)}…` : text);
  const spaces = [...name.matchAll(/ /g)].map((one) => one.index);
  if (name.length <= SHORT - 2 || !spaces.length) return [cut(name)];
  const at = spaces.reduce((best, one) => (Math.abs(one - name.length / 2) < Math.abs(best - name.length / 2) ? one : best));
  return [cut(name.slice(0, at)), cut(name.slice(at + 1))];
}

export class Around {
  // `act` does a line, `begin` puts the beginning of one where it is typed.
  constructor(act, begin) {
    Object.assign(this, { act, begin, exits: [], people: [], items: { room: [], inv: [] }, thinking: new Set(), name: "" });
  }

  take(name, payload) {
    switch (name) {
      case "Char.Name": this.name = document.getElementById("who").textContent = payload.name; break;
      case "Room.Info": document.getElementById("place").textContent = payload.name; break;
      case "Room.Players": this.people = payload.map((one) => one.name); this.thinking.clear(); this.showPeople(); break;
      case "Room.AddPlayer": this.people.push(payload.name); this.showPeople(); break;
      case "Room.RemovePlayer": this.people = this.people.filter((one) => one !== payload); this.showPeople(); break;
      case "Char.Items.List": this.items[payload.location] = payload.items; this.showThings(payload.location); break;
      case "Char.Items.Add": this.items[payload.location].push(payload.item); this.showThings(payload.location); break;
      case "Char.Items.Remove": case "Char.Items.Update": {
        const { location, item } = payload, rest = this.items[location].filter((one) => one.id !== item.id);
        this.items[location] = name.endsWith("Update") ? [...rest, item] : rest;
        this.showThings(location);
        break;
      }
      case "Fallwater.Map": this.showMap(payload); this.showExits(payload.exits); break;
      case "Fallwater.Agent":
        if (payload.what === "thinking") this.thinking.add(payload.name); else this.thinking.delete(payload.name);
        this.showPeople();
        break;
    }
  }

  get words() { return [...this.exits, ...this.people, ...this.items.room, ...this.items.inv].map((one) => one.name ?? one); }

  showExits(exits) {
    this.exits = exits.map((exit) => exit.name);
    document.getElementById("exits").replaceChildren(...exits.map((exit) => {
      const made = button(exit.name, () => this.act(exit.way && exit.way !== exit.name ? exit.name : `go ${exit.name}`));
      const where = document.createElement("small");
      where.textContent = ` ${exit.room}`;
      made.append(where);
      return made;
    }));
  }

  showPeople() {
    const others = this.people.filter((name) => name !== this.name);
    this.list("people", others, "Nobody else.", (name) => [
      name, this.thinking.has(name) ? "thinking" : "",
      [["look at", () => this.act(`look ${name}`)], ["say to", () => this.begin(`say to ${name} `)],
        ["whisper", () => this.begin(`whisper ${name} `)], ["follow", () => this.act(`follow ${name}`)]],
    ]);
  }

  showThings(location) {
    const isHeld = location === "inv";
    this.list(isHeld ? "carried" : "things", this.items[location], isHeld ? "Nothing." : "Nothing to take.", ({ name, attrib }) => {
      const acts = [["look at", () => this.act(`look ${name}`)]];
      if (isHeld) acts.push(["drop", () => this.act(`drop ${name}`)], ["give to", () => this.begin(`give ${name} to `)]);
      else if (attrib.includes("t")) acts.push(["take", () => this.act(`get ${name}`)]);
      if (attrib.includes("c")) acts.push(["look in", () => this.act(`look in ${name}`)]);
      acts.push(["read", () => this.act(`read ${name}`)], ["use", () => this.act(`use ${name}`)]);
      return [name, "", acts];
    });
  }

  list(id, items, none, told) {
    const list = document.getElementById(id);
    const open = new Set([...list.querySelectorAll("details[open]")].map((one) => one.dataset.name));
    const focused = document.activeElement?.closest?.(`#${id} details`)?.dataset.name;
    list.replaceChildren(...(items.length ? items : [null]).map((item) => {
      const row = document.createElement("li");
      if (item === null) { row.textContent = none; row.className = "quiet"; return row; }
      const [name, note, acts] = told(item);
      const details = document.createElement("details"), summary = document.createElement("summary");
      details.dataset.name = name;
      details.open = open.has(name);
      summary.textContent = name;
      if (note) {
        const span = document.createElement("span");
        span.className = "thinking";
        span.textContent = note;
        summary.append(span);
      }
      const row2 = document.createElement("div");
      row2.className = "acts";
      row2.append(...acts.map(([text, act]) => button(text, act)));
      row2.querySelectorAll("button").forEach((one) => one.setAttribute("aria-label", `${one.textContent} ${name}`));
      details.append(summary, row2);
      row.append(details);
      return row;
    }));
    if (focused) [...list.querySelectorAll("details")].find((one) => one.dataset.name === focused)?.querySelector("summary").focus();
  }

  showMap({ rooms, ways, words }) {
    const xs = rooms.map((one) => one.x), ys = rooms.map((one) => one.y);
    const left = Math.min(...xs), top = Math.min(...ys);
    const at = (room) => [(room.x - left + 0.5) * CELL, (room.y - top + 0.5) * ROW];
    const wide = (Math.max(...xs) - left + 1) * CELL;
    const svg = drawn("svg", {
      viewBox: `0 0 ${wide} ${(Math.max(...ys) - top + 1) * ROW}`, width: wide * LARGEST,
      role: "img", "aria-label": `Map: you are at ${rooms[0].name}. The same in words stands below.`,
    });
    for (const [one, other] of ways) {
      const [x1, y1] = at(rooms[one]), [x2, y2] = at(rooms[other]);
      svg.append(drawn("line", { x1, y1: y1 - 9, x2, y2: y2 - 9 }));
    }
    rooms.forEach((room, number) => {
      const [x, y] = at(room), group = drawn("g", number ? {} : { class: "here" });
      const lines = inTwo(room.name).map((part, line) => drawn("text", { x, y: y + 12 + line * 12 }, part));
      const under = lines.map((line) => line.cloneNode(true)); // first, so that none covers a letter of another
      under.forEach((line) => line.setAttribute("class", "under"));
      group.append(drawn("title", {}, room.name), ...under, drawn("rect", { x: x - 9, y: y - 18, width: 18, height: 18, rx: 4 }), ...lines);
      svg.append(group);
    });
    document.getElementById("map").replaceChildren(svg);
    document.querySelector("#map-words ul").replaceChildren(...words.map((text) => {
      const row = document.createElement("li");
      row.textContent = text;
      return row;
    }));
  }
}
