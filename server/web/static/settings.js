// How the page looks and sounds, kept in this browser; and the help.
const KEY = "fallwater.settings";

// What this browser keeps. It may be spoilt, full, or forbidden; then there is nothing, and the page goes on.
export const stored = {
  read(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } },
  write(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* kept while the page is open */ } },
  remove(key) { try { localStorage.removeItem(key); } catch { /* there is none */ } },
};

const CHECKS = ["contrast", "still", "plain", "reader", "sound"], CHOICES = ["size", "theme", "font"];

export class Settings {
  constructor(changed) {
    this.given = { size: "100", theme: "auto", font: "serif" };
    const kept = stored.read(KEY) ?? {};
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => this.apply());
    for (const name of [...CHECKS, ...CHOICES]) {
      const field = document.getElementById(`set-${name}`), isCheck = CHECKS.includes(name);
      if (isCheck) this.given[name] = field.checked = kept[name] === true;
      else if ([...field.options].some((option) => option.value === kept[name])) this.given[name] = kept[name];
      if (!isCheck) field.value = this.given[name];
      field.addEventListener("change", () => {
        this.given[name] = isCheck ? field.checked : field.value;
        stored.write(KEY, this.given);
        this.apply();
        changed(name);
      });
    }
    this.apply();
  }

  apply() {
    const { size, theme, font, contrast, still, plain } = this.given;
    const classes = document.documentElement.classList;
    classes.value = "";
    classes.add(`size-${size}`, font);
    if (theme === "dark" || (theme === "auto" && this.dark.matches)) classes.add("dark");
    if (contrast) classes.add("contrast");
    if (still) classes.add("still");
    if (plain) classes.add("plain");
  }

  get reader() { return Boolean(this.given.reader); }

  sound() {
    if (!this.given.sound) return;
    this.audio ??= new AudioContext();
    const tone = this.audio.createOscillator(), volume = this.audio.createGain(), now = this.audio.currentTime;
    tone.frequency.value = 392;
    volume.gain.setValueAtTime(0.05, now);
    volume.gain.exponentialRampToValueAtTime(0.0001, now + 0.4);
    tone.connect(volume).connect(this.audio.destination);
    tone.start(now);
    tone.stop(now + 0.4);
  }
}

export function showHelp(commands, list, search, begin) {
  const wanted = search.value.trim().toLowerCase(), groups = new Map();
  for (const one of commands) {
    if (wanted && !`${one.usage} ${one.about}`.toLowerCase().includes(wanted)) continue;
    if (!groups.has(one.group)) groups.set(one.group, []);
    groups.get(one.group).push(one);
  }
  list.replaceChildren(...[...groups].flatMap(([group, several]) => {
    const title = document.createElement("h3"), rows = document.createElement("ul");
    title.textContent = group;
    rows.append(...several.map((one) => {
      const row = document.createElement("li"), use = document.createElement("button");
      use.type = "button";
      use.textContent = one.usage;
      use.addEventListener("click", () => begin(`${one.usage.split(" ")[0]} `));
      row.append(use, ` ${one.about}`);
      return row;
    }));
    return [title, rows];
  }));
}
