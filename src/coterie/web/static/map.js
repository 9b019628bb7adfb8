// @ts-check
// The map of a run: its data, its colors and its legend, search as you type, and what is chosen; the rest is in mapstage and mapside.
import { all, get, make, one, say } from "./base.js";
import { painterFor } from "./mapgl.js";
import { LEVELS, called, categories, column, css, data, drawn, grouped, keyOf, lookOf, looks, marker, prefersDark, ramped, standing, state, styleOf, tall } from "./mapmodel.js";
import { drawOver } from "./mapover.js";
import { Stage } from "./mapstage.js";
import { Side } from "./mapside.js";

const page = /** @type {HTMLElement} */ (one("#map-page"));
const run = page.dataset.run ?? "", api = `/api/runs/${run}`;
const box = /** @type {HTMLElement} */ (one("#stage")), over = /** @type {HTMLCanvasElement} */ (one("#over"));
const points = /** @type {HTMLCanvasElement} */ (one("#points")), tip = /** @type {HTMLElement} */ (one("#tip"));
const legend = /** @type {HTMLElement} */ (one("#legend")), color = /** @type {HTMLSelectElement} */ (one("#color"));
const search = /** @type {HTMLInputElement} */ (one("#search")), now = /** @type {HTMLElement} */ (one("#now"));

/** @returns {Promise<ArrayBuffer>} */
const bytes = async (/** @type {string} */ path) => {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? "The map could not be read.");
  return answer.arrayBuffer();
};

/** @type {Stage} */ let stage;
/** @type {import("./mapgl.js").Painter} */ let painter;
/** @type {Side} */ let side;
let waiting = 0;

/** Color everybody anew. */
function recolor() {
  const begun = performance.now();
  Object.assign(drawn, looks());
  painter.looks(drawn.of, drawn.list);
  masked();
  drawLegend();
  paint();
  box.dataset.recolorMs = (performance.now() - begun).toFixed(1);
}

/** Who is drawn: 2 meant, 1 faint, 0 hidden; the stage knows who can be pointed at, whatever is selected. */
function masked() {
  const base = new Uint8Array(data.n), shown = new Uint8Array(data.n);
  const hides = state.hidden.size > 0;
  for (let i = 0; i < data.n; i++) {
    base[i] = hides && state.hidden.has(keyOf(i)) ? 0 : state.hits && !state.hits[i] ? 1 : 2;
    shown[i] = base[i] === 2 && state.many && !state.selected[i] ? 1 : base[i];
  }
  stage.mask = base;
  state.mask = shown;
  painter.mask(shown);
}

function drawLegend() {
  const by = column(), rows = [];
  if (state.by === "confidence" || (by && by.kind !== "category")) {
    const strip = /** @type {HTMLCanvasElement} */ (make("canvas", { width: "220", height: "1", "aria-hidden": "true" }));
    const pen = /** @type {CanvasRenderingContext2D} */ (strip.getContext("2d"));
    for (let x = 0; x < 220; x++) { pen.fillStyle = ramped(Math.round((x / 219) * LEVELS) / LEVELS); pen.fillRect(x, 0, 1, 1); }
    const [low, high] = by ? [by.low, by.high] : ["0%", "100%"];
    rows.push(make("span", { class: "ramp" }, low, strip, high, make("span", { class: "small" }, by ? by.name : "how sure each member's group is")));
  }
  if (!by || by.kind === "category") for (const one of categories()) {
    const shown = !state.hidden.has(one.key), style = state.by === "confidence" ? { ...styleOf(one.key), fill: "none", edge: css("--muted") } : styleOf(one.key);
    const label = called(one);
    const button = make("button", { type: "button", "aria-pressed": String(shown), title: label, click: () => { if (shown) state.hidden.add(one.key); else state.hidden.delete(one.key); masked(); drawLegend(); wake(); } },
      marker(style), make("span", { class: "name" }, make("bdi", {}, label)), one.unstable ? make("span", { class: "n" }, "unstable") : null, make("span", { class: "n" }, grouped(one.size)));
    button.dataset.key = String(one.key);
    rows.push(button);
  }
  if (state.hidden.size) rows.push(make("button", { type: "button", class: "all", click: () => { state.hidden.clear(); masked(); drawLegend(); wake(); } }, "Show all"));
  const focused = document.activeElement instanceof HTMLElement && legend.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  legend.replaceChildren(...rows);
  legend.hidden = !rows.length;
  if (focused !== undefined) all("button", legend).find((button) => button.dataset.key === focused)?.focus();
}

// ---------------------------------------------------------------- drawing

function paint() {
  waiting = 0;
  const begun = performance.now();
  if (stage.measure()) {
    for (const canvas of [points, over]) { canvas.width = Math.round(stage.width * stage.dpr); canvas.height = Math.round(stage.height * stage.dpr); }
    painter.resize(stage.width, stage.height, stage.dpr);
  }
  if (!stage.width) return;
  painter.draw(stage.view, stage.radius(), css("--sheet"));
  drawOver(stage);
  box.dataset.drawMs = (performance.now() - begun).toFixed(1);
}
function wake() { if (!waiting) waiting = requestAnimationFrame(paint); }
let waitingOver = 0;
function wakeOver() { if (!waiting && !waitingOver) waitingOver = requestAnimationFrame(() => { waitingOver = 0; drawOver(stage); }); }

// ---------------------------------------------------------------- choosing

/** @type {Map<number, any>} */ const lines = new Map();
let asking = 0;
/** The name of a member under the pointer. */
function hover(/** @type {number} */ i, /** @type {number} */ x, /** @type {number} */ y) {
  over.classList.toggle("on", i >= 0);
  if (i >= 0) { tip.style.transform = `translate(${x > stage.width - 320 ? Math.max(4, x - 312) : x + 14}px, ${y > stage.height - 110 ? y - 92 : y + 14}px)`; }
  if (i === state.hover) return;
  state.hover = i;
  tip.hidden = i < 0;
  wakeOver();
  if (i < 0) return;
  told(i);
  clearTimeout(asking);
  if (!lines.has(i)) asking = window.setTimeout(async () => {
    const found = await get(`${api}/members?at=${i}`).catch(() => null);
    if (found) lines.set(i, found[0]);
    if (state.hover === i) told(i);
  }, 60);
}
function told(/** @type {number} */ i) {
  const known = lines.get(i), rows = [], by = column();
  if (known) rows.push(make("b", {}, make("bdi", {}, known.id)), known.line ? make("span", { class: "line" }, make("bdi", {}, known.line)) : null);
  if (!data.head.flat) rows.push(make("span", { class: "meta" }, make("bdi", {}, standing(i))));
  if (by && by.kind === "category" && by.codes[i] >= 0) rows.push(make("span", { class: "line" }, `${by.name}: ${by.values[by.codes[i]]}`));
  tip.replaceChildren(.../** @type {Node[]} */ (rows.filter(Boolean)));
}
/** Choose a member, or nobody. @param {number} i */
async function choose(i, { reveal = false } = {}) {
  state.chosen = i; state.near = [];
  if (i >= 0 && reveal) stage.reveal(i);
  wake();
  const card = await side.card(i);
  if (!card || state.chosen !== i) return;
  state.near = card.neighbors.map((/** @type {any} */ one) => [one.at, one.nearness]);
  now.textContent = `${card.id}. ${data.head.flat ? "" : standing(i)}`;
  wake();
}

/** Select members. @param {ArrayLike<number>} members */
function select(members, add = false) {
  if (!add) state.selected.fill(0);
  for (let j = 0; j < members.length; j++) state.selected[members[j]] = 1;
  counted();
}
function counted() {
  state.many = 0;
  for (let i = 0; i < data.n; i++) state.many += state.selected[i];
  masked();
  wake();
  side.selection(state.many ? positions() : new Int32Array(0));
  now.textContent = state.many ? `${state.many} members are selected.` : "Nobody is selected.";
}
function positions() {
  const found = new Int32Array(state.many);
  for (let i = 0, j = 0; i < data.n; i++) if (state.selected[i]) found[j++] = i;
  return found;
}
const frame = (/** @type {ArrayLike<number>} */ members) => stage.frame(members);
const labelOf = (/** @type {number} */ i) => data.labels[i];
const groups = () => (data.head.flat ? [] : data.head.groups);
const groupMembers = (/** @type {number} */ label) => { const found = []; for (let i = 0; i < data.n; i++) if (data.labels[i] === label) found.push(i); return found; };

const hands = {
  hover,
  pick(/** @type {number} */ i, /** @type {boolean} */ add) {
    if (add && i >= 0) { state.selected[i] = 1 - state.selected[i]; counted(); return; }
    void choose(i);
  },
  lasso(/** @type {Int32Array} */ found, /** @type {boolean} */ add, /** @type {number} */ ms) {
    const begun = performance.now();
    select(found, add);
    paint();
    box.dataset.lassoMs = (ms + performance.now() - begun).toFixed(1);
  },
  moved: wake, over: wakeOver,
  escape() { if (state.chosen >= 0) void choose(-1); else if (state.many) select([]); },
};

// ---------------------------------------------------------------- search

let typed = 0;
/** @type {AbortController | null} */
let running = null;
search.addEventListener("input", () => { clearTimeout(typed); typed = window.setTimeout(look_for, 120); });
async function look_for() {
  running?.abort();
  const query = search.value.trim();
  state.query = query;
  if (!query) { state.hits = null; masked(); wake(); side.found(0, "", () => {}); now.textContent = ""; return; }
  running = new AbortController();
  try {
    const found = await get(`${api}/map/search?q=${encodeURIComponent(query)}`, running.signal);
    if (state.query !== query) return;
    state.hits = new Uint8Array(data.n);
    for (const i of found.members) if (i < data.n) state.hits[i] = 1;
    hover(-1, 0, 0);
    masked();
    wake();
    side.found(found.count, query, () => select(found.members), found.members);
    now.textContent = found.count === 1 ? "One member found." : `${found.count} members found.`;
  } catch (error) { if (!(error instanceof DOMException)) say(error instanceof Error ? error.message : String(error), "error"); }
}

// ---------------------------------------------------------------- tools

color.addEventListener("change", async () => {
  const wanted = color.value;
  try {
    if (wanted.startsWith("column:") && !data.columns.has(wanted)) {
      const at = wanted.slice(7);
      const [meta, block] = await Promise.all([get(`${api}/map/columns/${at}`), bytes(`${api}/map/columns/${at}/values`)]);
      data.columns.set(wanted, { ...meta, codes: meta.kind === "category" ? new Int32Array(block) : new Float32Array(block) });
    }
    state.by = wanted;
    state.hidden.clear();
    recolor();
    now.textContent = `Colored by ${color.selectedOptions[0].textContent}.`;
  } catch (error) { color.value = state.by; say(error instanceof Error ? error.message : String(error), "error"); }
});
for (const radio of all('input[name="tool"]')) radio.addEventListener("change", () => { stage.tool = /** @type {any} */ (/** @type {HTMLInputElement} */ (radio).value); box.dataset.tool = stage.tool; });
one("#closer")?.addEventListener("click", () => stage.zoom(1.5));
one("#farther")?.addEventListener("click", () => stage.zoom(1 / 1.5));
one("#whole")?.addEventListener("click", () => stage.whole());
one("#in-view")?.addEventListener("click", () => select(stage.inView()));
over.addEventListener("keydown", (event) => stage.key(event, state.chosen));
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
  if (event.key === "/" && !typing) { event.preventDefault(); search.focus(); }
  else if (event.key === "Escape" && event.target === search) { search.value = ""; void look_for(); over.focus(); }
});

/** What the address asks for: #member=3, #group=2, #members=1,2,3. */
function asked() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const at = wanted.get("member"), number = wanted.get("group"), many = wanted.get("members");
  if (many) { const found = many.split(",").map(Number).filter((i) => Number.isInteger(i) && i >= 0 && i < data.n); select(found); stage.frame(found); }
  if (number) { const found = groupMembers(Number(number) - 1); select(found); stage.frame(found); }
  if (at !== null && Number.isInteger(Number(at)) && Number(at) >= 0 && Number(at) < data.n) void choose(Number(at), { reveal: true });
}

/** Read the groups anew, after an edit. */
async function reread() {
  const [head, block] = await Promise.all([get(`${api}/map`), bytes(`${api}/map.bin`)]);
  take(head, block);
  lines.clear();
  state.hidden.clear();
  select([]);
  recolor();
  if (state.chosen >= 0) void choose(state.chosen);
}

/** @param {any} head @param {ArrayBuffer} block */
function take(head, block) {
  data.head = head;
  data.n = head.members;
  if (block.byteLength !== 16 * data.n) throw new Error("The map changed while it was read; load the page again.");
  data.places = new Float32Array(block, 0, 2 * data.n);
  data.labels = new Int32Array(block, 8 * data.n, data.n);
  data.confidence = new Float32Array(block, 12 * data.n, data.n);
  data.spread.clear();
  for (const g of head.groups) if (g.anchor) data.spread.set(g.label, tall(g));
}

async function begin() {
  const [head, block] = await Promise.all([get(`${api}/map`), bytes(`${api}/map.bin`)]);
  take(head, block);
  state.selected = new Uint8Array(data.n);
  for (const one of head.columns) color.append(make("option", { value: `column:${one.at}` }, one.name));
  if (head.flat) { all("option", color).slice(0, 2).forEach((option) => option.remove()); color.prepend(make("option", { value: "group" }, "nothing")); color.value = "group"; }
  stage = new Stage(box, over, data.places, hands);
  painter = painterFor(points, data.places, head.shapes, new URLSearchParams(location.search).get("painter") ?? "");
  side = new Side(run, { choose, select, frame, reread, groups, labelOf, groupMembers, marker, lookOf, styleOf, grouped, called });
  box.dataset.painter = painter.kind;
  stage.measure();
  for (const canvas of [points, over]) { canvas.width = Math.round(stage.width * stage.dpr); canvas.height = Math.round(stage.height * stage.dpr); }
  painter.resize(stage.width, stage.height, stage.dpr);
  recolor();
  one("#loading")?.remove();
  box.removeAttribute("aria-busy");
  requestAnimationFrame(() => { box.dataset.firstPaint = performance.now().toFixed(0); box.dataset.ready = "yes"; });
  new ResizeObserver(wake).observe(box);
  prefersDark.addEventListener("change", recolor);
  new MutationObserver(recolor).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  window.addEventListener("hashchange", asked);
  asked();
}
begin().catch((error) => {
  const place = one("#loading");
  if (place) place.textContent = error instanceof Error ? error.message : String(error);
  box.removeAttribute("aria-busy");
});
