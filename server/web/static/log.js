// What happens, line by line. World text is set as text, never as markup.
const MOST_LINES = 2000, NEAR_END = 60;
const STYLES = new Set(["room", "exits", "speech", "private", "notice", "ambience", "refusal", "highlight"]);
const COLUMNS = /\S {2,}\S/, DRAWN = /^\s+\S|^[^\p{L}]+$/u;

export function fill(element, runs) {
  for (const [words, style, address] of runs) {
    if (style === "link" && /^https?:\/\//.test(address)) {
      const link = document.createElement("a");
      Object.assign(link, { href: address, textContent: words, target: "_blank", rel: "noreferrer noopener" });
      element.append(link);
    } else if (STYLES.has(style)) {
      const span = document.createElement("span");
      span.className = style;
      span.textContent = words;
      element.append(span);
    } else element.append(words);
  }
}

// Only lines with columns or of a drawing are of letters of one width: prose between them reads as everywhere.
function inLines(entry, runs) {
  const lines = [[]];
  for (const [words, ...style] of runs) {
    words.split("\n").forEach((part, number, all) => {
      if (number) lines.push([]);
      lines.at(-1).push([number < all.length - 1 ? `${part}\n` : part, ...style]);
    });
  }
  entry.replaceChildren(...lines.map((line) => {
    const row = document.createElement("div");
    fill(row, line);
    if (COLUMNS.test(row.textContent) || DRAWN.test(row.textContent)) row.className = "columns";
    return row;
  }));
}

export class Log {
  constructor(element, newer) {
    this.element = element;
    this.newer = newer;
    this.unseen = 0;
    this.pending = new Map(); // typed lines that have not arrived, by number
    element.addEventListener("scroll", () => this.isAtEnd() && this.seen());
    let wasAtEnd = true;
    element.addEventListener("scroll", () => { wasAtEnd = this.isAtEnd(); });
    new ResizeObserver(() => wasAtEnd && this.toEnd()).observe(element);
    newer.addEventListener("click", () => { this.toEnd(); element.focus(); });
  }

  clear() { this.element.replaceChildren(); this.seen(); }

  // A typed line is shown at once and takes its place when the world has it. Screen readers have spoken it already.
  typed(text, number) {
    const entry = this.entry("typed waiting", text);
    entry.setAttribute("aria-hidden", "true");
    this.put(entry, true);
    this.pending.set(number, entry);
    this.element.append(entry);
  }

  line(item, page) {
    const kind = item.kind || "";
    const entry = this.entry(STYLES.has(kind) || kind === "scene" || kind === "typed" ? kind : "", item.text);
    if (item.runs) fill(entry, item.runs);
    if (COLUMNS.test(entry.textContent)) inLines(entry, item.runs || [[item.text]]);
    if (kind === "typed") {
      entry.setAttribute("aria-hidden", "true");
      if (item.page === page) { this.pending.get(item.typed)?.remove(); this.pending.delete(item.typed); }
    }
    this.put(entry, kind === "typed");
    return kind;
  }

  // A line that the world took without showing it was a secret.
  took(number) {
    for (const [at, entry] of this.pending) if (at <= number) { entry.remove(); this.pending.delete(at); }
  }

  // Say of typed lines by number that they have not arrived.
  untaken(numbers, why) {
    for (const number of numbers) {
      const entry = this.pending.get(number);
      if (!entry) continue; // a secret
      entry.remove();
      this.pending.delete(number);
      this.note(`${why}: ${entry.textContent}`);
    }
  }

  note(text) { this.put(this.entry("gap", text), false); }

  entry(kind, text) {
    const entry = document.createElement("div");
    entry.className = kind;
    if (text) entry.textContent = text;
    return entry;
  }

  put(entry, isOwn) {
    if (!this.isDue) { // what comes in one message is laid out once
      this.isDue = true;
      this.follows = this.isAtEnd();
      queueMicrotask(() => this.settle());
    }
    if (isOwn) this.follows = true;
    if (!document.hidden) entry.classList.add("fresh");
    const waiting = this.pending.values().next().value; // what the world has not heard yet stands last
    this.element.insertBefore(entry, waiting ?? null);
    while (this.element.childElementCount > MOST_LINES) this.element.firstElementChild.remove();
    if (!this.follows) this.unseen += 1;
  }

  settle() {
    this.isDue = false;
    if (this.follows) this.toEnd();
    else if (this.unseen) { this.newer.textContent = `${this.unseen} new`; this.newer.hidden = false; }
  }

  isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < NEAR_END;
  }

  toEnd() { this.element.scrollTop = this.element.scrollHeight; this.seen(); }

  seen() { this.unseen = 0; this.newer.hidden = true; }
}
