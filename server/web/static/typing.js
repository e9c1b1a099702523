// The line one types in: history over reloads, completion from the world's own commands, phones and input methods.
import { stored } from "./settings.js";

const KEPT = 100, KEY = "fallwater.history";

export class Typing {
  // `send` is given a line and whether it is a secret, and returns the line's number.
  constructor(form, field, secret, hint, send) {
    Object.assign(this, { field, secret, hint, send, commands: [], words: [], found: "", unheard: new Map() });
    const kept = stored.read(KEY);
    this.history = Array.isArray(kept) ? kept.filter((line) => typeof line === "string") : [];
    this.at = this.history.length;
    form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    field.addEventListener("keydown", (event) => this.key(event));
    field.addEventListener("input", () => this.suggest());
    hint.addEventListener("click", () => this.found && this.put(this.found));
    secret.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); this.submit(); } });
  }

  focus() { (this.secret.hidden ? this.field : this.secret).focus(); }

  put(text) { this.field.value = text; this.suggest(); this.field.focus(); this.field.setSelectionRange(text.length, text.length); }

  ask(isHidden) {
    const had = document.activeElement === this.field || document.activeElement === this.secret;
    this.secret.hidden = !isHidden;
    this.field.hidden = isHidden;
    if (had) this.focus();
  }

  submit() {
    if (!this.secret.hidden) { this.send(this.secret.value, true); this.secret.value = ""; return; }
    const text = this.field.value.replace(/\s*\n\s*/g, " ");
    this.field.value = "";
    this.at = this.history.length;
    this.suggest();
    const number = this.send(text, false);
    if (text.trim()) this.unheard.set(number, text);
  }

  // The world shows what was typed but for secrets. So history keeps a line only once it is shown as it was typed.
  keep(number, shown) {
    const text = this.unheard.get(number);
    this.unheard.delete(number);
    if (text?.trim() !== shown.trim()) return;
    if (this.history.at(-1) !== text) this.history = [...this.history, text].slice(-KEPT);
    this.at = this.history.length;
    stored.write(KEY, this.history);
  }

  took(number) { for (const at of this.unheard.keys()) if (at <= number) this.unheard.delete(at); }

  forget() {
    this.history = [];
    this.at = 0;
    this.unheard.clear();
    this.field.value = this.secret.value = "";
    stored.remove(KEY);
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); this.submit(); }
    else if (event.key === "Tab" && !event.shiftKey && this.found) { event.preventDefault(); this.put(this.found); }
    else if (event.key === "Escape") { this.found = ""; this.hint.replaceChildren(); }
    else if (event.key === "ArrowUp" && !this.field.value.includes("\n")) this.back(event, -1);
    else if (event.key === "ArrowDown" && !this.field.value.includes("\n")) this.back(event, 1);
  }

  back(event, step) {
    const at = this.at + step;
    if (at < 0 || at > this.history.length) return;
    event.preventDefault();
    if (this.at === this.history.length) this.begun = this.field.value;
    this.at = at;
    this.put(at === this.history.length ? this.begun || "" : this.history[at]);
  }

  // Somebody who types what they want to say is shown how: it is no command.
  suggestSaying(text, verb) {
    if (!/^\p{L}/u.test(verb) || !this.commands.length || this.words.some((one) => one.toLowerCase().startsWith(verb))) return;
    this.found = `say ${text.trimStart()}`;
    const usage = document.createElement("b");
    usage.textContent = this.found;
    this.hint.append(usage, " says it to everybody here.");
  }

  suggest() {
    const text = this.field.value, start = text.trimStart().toLowerCase();
    this.hint.replaceChildren();
    this.found = "";
    if (!start) return;
    const verb = start.split(" ")[0];
    if (!start.includes(" ")) {
      const command = this.commands.find((one) => one.usage.split(" ")[0].startsWith(verb));
      if (!command) return this.suggestSaying(text, verb);
      const whole = command.usage.split(" ")[0];
      this.found = whole === verb ? "" : `${whole} `;
      const usage = document.createElement("b");
      usage.textContent = command.usage;
      this.hint.append(usage, ` ${command.about}`);
      return;
    }
    if (!this.commands.some((one) => one.usage.split(" ")[0].startsWith(verb))) return this.suggestSaying(text, verb);
    const last = text.slice(text.lastIndexOf(" ") + 1).toLowerCase();
    const word = last.length > 1 && this.words.find((one) => one.toLowerCase().startsWith(last) && one.length > last.length);
    if (!word) return;
    this.found = `${text.slice(0, text.length - last.length)}${word} `;
    this.hint.append(word);
  }
}
