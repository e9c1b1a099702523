// Bonds: who has met whom, promises open and kept, who told whom what; tables first, a graph at rest beside them.
import { count, empty, field, h, link, moment, svg, table } from "./observatory.js";

const MOST_NODES = 60, ROUNDS = 160, SIZE = 640;

export const asks = () => ({});
export const isLive = () => false;

export function draw(page, shown) {
  const name = (one) => shown.met.some((row) => row.agent === one) ? link(["mind", one], one) : one;
  const memory = (one) => one.since ? link(["memory", one.agent, one.since], `memory ${count(one.since)}`) : "by hand";
  page.part("filter", "filter", () => {
    const wanted = h("input", { id: "bonds-who", type: "search", oninput: () => { page.state.who = wanted.value.trim().toLowerCase(); tables(page, shown, name, memory); } });
    return h("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, field("bonds-who", "Who", wanted), h("button", { type: "button", onclick: () => page.ask() }, "Look again"));
  });
  tables(page, shown, name, memory);
  page.part("graph", shown.met, () => graph(shown.met));
}

function tables(page, { met, promises, told, more }, name, memory) {
  const who = page.state.who || "", fits = (...names) => !who || names.some((one) => one.toLowerCase().includes(who));
  page.part("met", [met, who], () => table("Who has met whom", ["Who", "Whom", "Times", "Last seen (UTC)"], met.filter((one) => fits(one.agent, one.whom)).sort((one, other) => other.count - one.count).map((one) => [name(one.agent), name(one.whom), count(one.count), `${moment(one.minute * 60000).slice(0, 16)}, ${one.where}`])));
  page.part("promises", [promises, who], () => sentences("Promises and requests", promises.filter((one) => fits(one.agent, one.by)).map((one) => [
    [name(one.by), `: “${one.text}”`], [one.kind, h("strong", {}, one.state), ["remembered by ", name(one.agent)], memory(one)]])));
  page.part("told", [told, who], () => sentences("Who told whom what", told.filter((one) => fits(one.agent, one.by, one.about)).map((one) => [
    [name(one.by), " told ", name(one.agent), one.about !== one.by && ` of ${one.about}`, `: “${one.text}”`], [one.is_whispered && "whispered", one.day, memory(one)]])));
  const gone = more.met + more.promises + more.told;
  if (gone) page.part("more", gone, () => empty(`${count(gone)} rows are left out.`));
}

// Rows that are sentences, which a table would cut on a small screen; below each what is known of it.
function sentences(title, rows) {
  return [h("h3", {}, title), rows.length ? h("ol", { class: "memories" }, rows.map(([text, about]) => h("li", {}, h("p", {}, text), h("p", { class: "about" }, about.filter(Boolean).map((one, at) => [at > 0 && " · ", one]))))) : empty("None.")];
}

// Everybody begins on a circle, by name, and is pulled to whom they know: the same picture each time.
function graph(met) {
  const names = [...new Set(met.flatMap((one) => [one.agent, one.whom]))].sort().slice(0, MOST_NODES), number = new Map(names.map((one, at) => [one, at]));
  if (names.length < 2) return null;
  const ties = met.filter((one) => number.has(one.agent) && number.has(one.whom)).map((one) => [number.get(one.agent), number.get(one.whom), Math.log2(1 + one.count)]);
  const at = names.map((_, place) => [Math.cos(2 * Math.PI * place / names.length), Math.sin(2 * Math.PI * place / names.length)]);
  for (let round = 0; round < ROUNDS; round += 1) {
    const step = 0.06 * (1 - round / ROUNDS), moves = at.map(() => [0, 0]);
    const pull = (one, other, force) => {
      const x = at[other][0] - at[one][0], y = at[other][1] - at[one][1], far = Math.hypot(x, y) || 0.01, by = force(far) / far;
      moves[one][0] += x * by; moves[one][1] += y * by; moves[other][0] -= x * by; moves[other][1] -= y * by;
    };
    for (let one = 0; one < at.length; one += 1) for (let other = one + 1; other < at.length; other += 1) pull(one, other, (far) => -0.25 / (far * far + 0.05) / Math.sqrt(at.length));
    ties.forEach(([one, other, weight]) => pull(one, other, (far) => far * weight * 0.5));
    moves.forEach(([x, y], place) => { const far = Math.hypot(x, y) || 1; at[place][0] += x / far * Math.min(far, 1) * step; at[place][1] += y / far * Math.min(far, 1) * step; });
  }
  const most = Math.max(...at.flat().map(Math.abs)), scaled = at.map(([x, y]) => [SIZE / 2 + x / most * (SIZE / 2 - 60), SIZE / 2 + y / most * (SIZE / 2 - 40)]);
  const drawing = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "graph", role: "img", "aria-label": "Who has met whom, drawn. The table above says the same." });
  ties.forEach(([one, other, weight]) => drawing.append(svg("line", { x1: scaled[one][0], y1: scaled[one][1], x2: scaled[other][0], y2: scaled[other][1], "stroke-width": Math.min(6, 0.5 + weight) })));
  names.forEach((name, place) => {
    const [x, y] = scaled[place], text = svg("text", { x, y: y - 10 });
    text.textContent = name;
    drawing.append(svg("circle", { cx: x, cy: y, r: 5 }), text);
  });
  return [h("h3", {}, "The same, drawn"), drawing];
}
