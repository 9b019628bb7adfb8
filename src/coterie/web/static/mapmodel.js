// @ts-check
// What the map knows and how it looks: members, groups and columns, who is chosen, and the color and shape of everybody.
export const LEVELS = 15; // steps of a ramp

/** @typedef {{key: number, number: number, name: string, size: number, unstable?: boolean}} Category */
export const data = {
  n: 0, head: /** @type {any} */ (null), places: new Float32Array(0), labels: new Int32Array(0), confidence: new Float32Array(0),
  /** @type {Map<string, any>} */ columns: new Map(), /** @type {Map<number, number>} */ spread: new Map(),
};
export const state = {
  by: "group", chosen: -1, hover: -1, query: "",
  /** @type {Uint8Array | null} */ hits: null, count: 0,
  /** @type {Set<number>} */ hidden: new Set(),
  selected: new Uint8Array(0), many: 0,
  /** @type {[number, number][]} */ near: [],
  mask: new Uint8Array(0),
};

// ---------------------------------------------------------------- colors

export const prefersDark = matchMedia("(prefers-color-scheme: dark)");
export const isDark = () => (document.documentElement.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
export const look = () => (isDark() ? data.head.dark : data.head.light);
export const css = (/** @type {string} */ name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** @param {number} key @returns {import("./mapgl.js").Look} */
export const styleOf = (key) => {
  const [fill, edge] = look().styles[key < 0 ? 32 : key % 32];
  return { fill, edge, shape: key < 0 ? -1 : key % data.head.shapes.length };
};
/** A color between low and high; the lowest can still be seen on the paper. @param {number} share */
export const ramped = (share) => {
  const least = isDark() ? 0.34 : 0.2, at = 3 * Math.round((least + (1 - least) * share) * 255), table = look().ramp;
  return `rgb(${table[at]},${table[at + 1]},${table[at + 2]})`;
};
export const edged = (/** @type {string} */ fill) => (isDark() ? fill : "rgb(70,82,104)");

/** The column by which the map is colored, if it is. */
export const column = () => data.columns.get(state.by);
/** The categories in use. @returns {Category[]} */
export function categories() {
  const by = column();
  if (by && by.kind === "category") {
    const rows = by.values.map((/** @type {string} */ name, /** @type {number} */ key) => ({ key, number: 0, name, size: by.sizes[key] }));
    const rest = data.n - by.sizes.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
    return rest > 0 ? [...rows, { key: -1, number: 0, name: "another value, or none", size: rest }] : rows;
  }
  if (data.head.flat || by) return [];
  return data.head.groups.map((/** @type {any} */ g) => ({ key: g.label, number: g.number, name: g.name, size: g.size, unstable: g.unstable }));
}
/** The category of a member. */
export const keyOf = (/** @type {number} */ i) => { const by = column(); return by && by.kind === "category" ? by.codes[i] : data.labels[i]; };

/** How each member looks: an index into a short list of looks. */
export function looks() {
  const of = new Uint16Array(data.n), by = column();
  /** @type {import("./mapgl.js").Look[]} */ const list = [];
  /** @type {Map<number, number>} */ const known = new Map();
  const shapes = data.head.shapes.length;
  const put = (/** @type {number} */ i, /** @type {number} */ key, /** @type {() => import("./mapgl.js").Look} */ draw) => {
    let at = known.get(key);
    if (at === undefined) { at = list.push(draw()) - 1; known.set(key, at); }
    of[i] = at;
  };
  for (let i = 0; i < data.n; i++) {
    const share = state.by === "confidence" ? data.confidence[i] : by && by.kind !== "category" ? by.codes[i] : -1;
    if (Number.isNaN(share)) put(i, -7, () => styleOf(-1));
    else if (share >= 0) {
      const level = Math.round(share * LEVELS), shape = state.by === "confidence" && data.labels[i] >= 0 && !data.head.flat ? data.labels[i] % shapes : -1;
      put(i, level * 64 + shape + 1, () => { const fill = ramped(level / LEVELS); return { fill, edge: edged(fill), shape }; });
    } else { const key = data.head.flat && !by ? 0 : keyOf(i); put(i, key, () => styleOf(key)); }
  }
  return { of, list };
}

/** The looks as they are drawn now. */
export const drawn = { of: new Uint16Array(0), /** @type {import("./mapgl.js").Look[]} */ list: [] };
/** @param {number} i @returns {any} */
export const lookOf = (i) => drawn.list[drawn.of[i]];

/** A marker as a small picture. @param {import("./mapgl.js").Look} style */
export function marker(style, size = 14) {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
  for (const [name, value] of [["class", "marker"], ["width", size], ["height", size], ["viewBox", "-7 -7 14 14"], ["aria-hidden", "true"]]) svg.setAttribute(String(name), String(value));
  const corners = style.shape < 0 ? [] : data.head.shapes[style.shape], shape = document.createElementNS(space, corners.length ? "polygon" : "circle");
  if (corners.length) shape.setAttribute("points", corners.map((/** @type {number[]} */ [x, y]) => `${x * 5},${y * 5}`).join(" ")); else shape.setAttribute("r", "5");
  shape.setAttribute("fill", style.fill); shape.setAttribute("stroke", style.edge);
  svg.append(shape);
  return svg;
}

export const grouped = (/** @type {number} */ count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/** What a group is called: its number and its name, unless that is its number. @param {{number: number, name: string}} g */
export const called = (g) => (!g.number ? g.name : g.name === `group ${g.number}` ? `Group ${g.number}` : `${g.number} ${g.name}`);
/** @param {number} i */
export function standing(i) {
  const g = data.head.groups.find((/** @type {any} */ one) => one.label === data.labels[i]);
  return `${g && g.number ? called(g) : "In no group"}, confidence ${Math.round(100 * data.confidence[i])}%`;
}

/** How far a group reaches above its middle, its farthest members left out. @param {any} g */
export function tall(g) {
  const above = [];
  for (let i = 0; i < data.n; i++) if (data.labels[i] === g.label) above.push(data.places[2 * i + 1] - g.anchor[1]);
  above.sort((a, b) => a - b);
  return Math.max(0, above[Math.floor(0.97 * (above.length - 1))] ?? 0);
}
