/* The report's hands, first part: the data, what is chosen, the theme, and what a member looks like.
   The parts are joined into one function; all text of members enters the page as textContent, never as markup. */

// ---------------------------------------------------------------- data

/** @param {string} id @returns {any} */
const $$ = (id) => document.getElementById(id);
const data = JSON.parse($$("data").textContent);

/** Decode base64 into a typed array. @param {any} Kind @param {string} text */
function unpack(Kind, text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Kind(bytes.buffer);
}

const ids = data.ids, snippets = data.snippets, n = ids.length;
const places = unpack(Float32Array, data.positions);
const labels = unpack(Int32Array, data.labels);
const confidence = unpack(Float32Array, data.confidence);
const near = unpack(Int32Array, data.near.members), nearShare = unpack(Uint8Array, data.near.share);
const columns = data.columns.map((c) => ({ name: c.name, values: c.values, codes: unpack(Int32Array, c.codes) }));
const groupOf = new Map(data.groups.map((g) => [g.label, g]));
const nobody = { label: -1, name: "in no group", letter: "–", size: 0, anchor: null };
for (let i = 0; i < n; i++) if (labels[i] < 0) nobody.size++;
const ramps = { light: unpack(Uint8Array, data.light.ramp), dark: unpack(Uint8Array, data.dark.ramp) };
const wantsCalm = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {number} member */
const group = (member) => groupOf.get(labels[member]) || nobody;
const percent = (share) => Math.round(share * 100) + "%";
/** Nothing stood out: members have no group and no confidence, and the map has one color. */
const flat = Boolean(data.flat);
/** The line under a member's id, unless it says the same. */
const lineOf = (member) => (snippets[member] !== ids[member] ? snippets[member] : "");
/** A member's group and confidence in words; nothing where there are no groups. */
const standing = (member) => (flat ? "" : `${group(member).letter} ${group(member).name}, confidence ${percent(confidence[member])}`);
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** Members in reading order: group after group, the surest first. */
const reading = (() => {
  const rank = new Map(data.groups.map((g, i) => [g.label, i]));
  const at = new Int32Array(n);
  for (let i = 0; i < n; i++) at[i] = rank.has(labels[i]) ? rank.get(labels[i]) : rank.size;
  return Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => at[a] - at[b] || confidence[b] - confidence[a] || a - b);
})();

// ---------------------------------------------------------------- state

const state = {
  selected: -1, hover: -1, query: "", colorBy: "group", wide: false,
  /** @type {Set<number>} */ hidden: new Set(),
  mask: new Uint8Array(n).fill(2),  // 0 filtered away by the legend, 1 faint because the search misses it, 2 shown
  /** @type {Int32Array} */ listed: reading,
};

/** Make an element with text. @param {string} tag @param {string} css @param {string} [text] */
function make(tag, css, text) {
  const element = document.createElement(tag);
  if (css) element.className = css;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Untrusted text that keeps its own direction. */
function own(tag, css, text) {
  const element = make(tag, css);
  element.append(make("bdi", "", text));
  return element;
}

// ---------------------------------------------------------------- theme

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
const look = () => (isDark() ? data.dark : data.light);
const ramp = () => (isDark() ? ramps.dark : ramps.light);
const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function themeChanged() {
  $$("theme").textContent = isDark() ? "Light" : "Dark";
  $$("theme").setAttribute("aria-pressed", String(isDark()));
  $$("theme").setAttribute("aria-label", isDark() ? "Use light colors" : "Use dark colors");
  recolor();
  heat.paint();
}

// ---------------------------------------------------------------- what a member looks like

/** The categories in use: groups, or the values of a column. */
function categories() {
  if (state.colorBy.startsWith("column:")) {
    const column = columns[Number(state.colorBy.slice(7))];
    const sizes = new Int32Array(column.values.length);
    for (const code of column.codes) sizes[code]++;
    return column.values.map((value, code) => ({ key: code, name: value || "(empty)", letter: "", size: sizes[code] }));
  }
  if (flat) return [];
  const rows = data.groups.map((g) => ({ key: g.label, name: g.name, letter: g.letter, size: g.size, unstable: g.unstable }));
  if (nobody.size && !groupOf.has(-1)) rows.push({ key: -1, name: nobody.name, letter: nobody.letter, size: nobody.size });
  return rows;
}

/** The category of a member. */
function category(member) {
  return state.colorBy.startsWith("column:") ? columns[Number(state.colorBy.slice(7))].codes[member] : labels[member];
}

/** Fill, edge and shape of a category. */
function styleOf(key) {
  const pair = look().styles[key < 0 ? 32 : key % 32];
  return { fill: pair[0], edge: pair[1], shape: key < 0 ? -1 : key % data.shapes.length };
}

/** Where on the ramp the least confident member stands, so that it can still be seen. */
const faintest = () => (isDark() ? 0.4 : 0.22);

/** Fill, edge and shape of a member under the present coloring. */
function memberStyle(member) {
  if (state.colorBy !== "confidence") return styleOf(category(member));
  const table = ramp(), level = Math.round((faintest() + (1 - faintest()) * (Math.round(confidence[member] * 15) / 15)) * 255) * 3;
  const fill = `rgb(${table[level]},${table[level + 1]},${table[level + 2]})`;
  return { fill, edge: isDark() ? fill : "rgba(20,30,50,.55)", shape: styleOf(labels[member]).shape };
}

/** A number that is the same for members that look the same. */
function lookOf(member) {
  if (state.colorBy !== "confidence") return category(member);
  return Math.round(confidence[member] * 15) * 16 + (labels[member] < 0 ? 15 : labels[member] % data.shapes.length);
}

/** Trace a marker's outline. @param {CanvasRenderingContext2D} pen */
function trace(pen, shape, x, y, radius) {
  pen.beginPath();
  const corners = shape < 0 ? [] : data.shapes[shape];
  if (!corners.length) {
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  corners.forEach(([cx, cy], i) => (i ? pen.lineTo(x + cx * radius, y + cy * radius) : pen.moveTo(x + cx * radius, y + cy * radius)));
  pen.closePath();
}

/** A marker as a small SVG for lists and legends. */
function marker(style, size = 14) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", "marker");
  for (const [name, value] of [["width", size], ["height", size], ["viewBox", "-7 -7 14 14"], ["aria-hidden", "true"]]) svg.setAttribute(name, String(value));
  const corners = style.shape < 0 ? [] : data.shapes[style.shape];
  const shape = document.createElementNS(space, corners.length ? "polygon" : "circle");
  if (corners.length) shape.setAttribute("points", corners.map(([x, y]) => `${x * 5},${y * 5}`).join(" "));
  else shape.setAttribute("r", "5");
  shape.setAttribute("fill", style.fill);
  shape.setAttribute("stroke", style.edge);
  svg.append(shape);
  return svg;
}
