/* The report's hands: a map that can be searched, filtered and zoomed, a list, a card, and the matrix.
   All text of members is put into the page with textContent, never as markup. */
(() => {
"use strict";

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
const percent = (share) => Math.round(share * 100) + " %";
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
  selected: -1, hover: -1, query: "", colorBy: "group",
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
  $$("theme").setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
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
  const rows = data.groups.map((g) => ({ key: g.label, name: g.name, letter: g.letter, size: g.size }));
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

/** Fill, edge and shape of a member under the present colouring. */
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

// ---------------------------------------------------------------- the map

const map = {
  stage: $$("stage"), canvas: $$("points"), over: $$("over"),
  pen: $$("points").getContext("2d"), top: $$("over").getContext("2d"),
  still: document.createElement("canvas"), stillView: { k: 1, x: 0, y: 0 },
  view: { k: 1, x: 0, y: 0 }, fit: { k: 1, x: 0, y: 0 },
  width: 0, height: 0, dpr: 1, exact: false, moving: false, waiting: 0, later: 0, hint: 0, cost: 0,
  /** @type {{offset: Int32Array, rgba: Uint8Array}[]} */ sprites: [], spriteOf: new Uint16Array(n), spriteRadius: 0,
  half: 0, /** @type {ImageData} */ buffer: new ImageData(1, 1),
};

/** A grid over the map: members of a cell are items[start[cell]] to items[start[cell + 1]]. */
const grid = (() => {
  let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
  for (let i = 0; i < n; i++) {
    left = Math.min(left, places[2 * i]); right = Math.max(right, places[2 * i]);
    low = Math.min(low, places[2 * i + 1]); high = Math.max(high, places[2 * i + 1]);
  }
  if (!n) left = right = low = high = 0;
  const side = Math.max(1, Math.ceil(Math.sqrt(n / 3)));
  const wide = (right - left || 1) / side, tall = (high - low || 1) / side;
  const column = (x) => Math.max(0, Math.min(side - 1, Math.floor((x - left) / wide)));
  const row = (y) => Math.max(0, Math.min(side - 1, Math.floor((y - low) / tall)));
  const start = new Int32Array(side * side + 1), items = new Int32Array(n);
  for (let i = 0; i < n; i++) start[row(places[2 * i + 1]) * side + column(places[2 * i]) + 1]++;
  for (let c = 0; c < side * side; c++) start[c + 1] += start[c];
  const fill = start.slice(0, side * side);
  for (let i = 0; i < n; i++) items[fill[row(places[2 * i + 1]) * side + column(places[2 * i])]++] = i;
  return { left, right, low, high, side, column, row, start, items };
})();

const screenX = (member, view = map.view) => places[2 * member] * view.k + view.x;
const screenY = (member, view = map.view) => -places[2 * member + 1] * view.k + view.y;

/** The radius of a marker: smaller in crowds, larger when close. */
function radius() {
  const base = n <= 150 ? 6 : n <= 600 ? 5 : n <= 2500 ? 4 : n <= 8000 ? 3 : 2.4;
  const close = Math.max(1, map.view.k / map.fit.k);
  return Math.min(9, base * Math.pow(close, 0.35)) * (map.width < 500 ? 0.85 : 1);
}

/**
 * Draw each look once and keep its pixels: offsets from the middle, colours and opacities. Twenty thousand members
 * are then written into one buffer of pixels, which costs a few milliseconds on any machine.
 */
function makeSprites() {
  const r = radius(), half = Math.ceil((r * 1.35 + 1) * map.dpr), size = 2 * half + 1;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const stride = map.canvas.width + 2 * half;
  const known = new Map();
  map.sprites = [];
  for (let i = 0; i < n; i++) {
    const key = lookOf(i);
    let at = known.get(key);
    if (at === undefined) {
      const style = memberStyle(i);
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, size, size);
      pen.setTransform(map.dpr, 0, 0, map.dpr, half + 0.5, half + 0.5);
      trace(pen, style.shape, 0, 0, r);
      pen.globalAlpha = n > 2500 ? 1 : 0.88;
      pen.fillStyle = style.fill;
      pen.fill();
      pen.globalAlpha = 1;
      pen.lineWidth = r < 3 ? 0.5 : 0.9;
      pen.strokeStyle = style.edge;
      pen.stroke();
      at = map.sprites.push(pixelsOf(pen.getImageData(0, 0, size, size), half, stride)) - 1;
      known.set(key, at);
    }
    map.spriteOf[i] = at;
  }
  map.spriteRadius = r;
  map.half = half;
  map.buffer = new ImageData(stride, map.canvas.height + 2 * half);
}

/** The pixels of an image that are not empty, as offsets into a buffer with this many pixels per row. */
function pixelsOf(image, half, stride) {
  const offset = [], rgba = [];
  for (let at = 0; at < image.width * image.height; at++) {
    if (image.data[4 * at + 3] < 8) continue;
    offset.push((Math.floor(at / image.width) - half) * stride + (at % image.width) - half);
    rgba.push(...image.data.subarray(4 * at, 4 * at + 4));
  }
  return { offset: Int32Array.from(offset), rgba: Uint8Array.from(rgba) };
}

/** Draw all points where they are now into the still canvas. */
function drawPoints() {
  const begun = performance.now();
  if (!map.sprites.length || Math.abs(map.spriteRadius - radius()) > 0.25) makeSprites();
  const { still, view, half, buffer, dpr, sprites, spriteOf } = map;
  if (still.width !== map.canvas.width || still.height !== map.canvas.height) {
    still.width = map.canvas.width;
    still.height = map.canvas.height;
  }
  const pixels = buffer.data, stride = buffer.width;
  const paper = rgbOf(cssColor("--sheet"));
  new Uint32Array(pixels.buffer).fill((255 << 24) | (paper[2] << 16) | (paper[1] << 8) | paper[0]);
  for (const pass of [1, 2]) {
    const strength = pass === 1 ? 0.1 / 255 : 1 / 255;
    for (let i = 0; i < n; i++) {
      if (state.mask[i] !== pass) continue;
      const x = Math.round(screenX(i, view) * dpr) + half, y = Math.round(screenY(i, view) * dpr) + half;
      if (x < half || y < half || x >= stride - half || y >= buffer.height - half) continue;
      const { offset, rgba } = sprites[spriteOf[i]], middle = y * stride + x;
      for (let p = 0; p < offset.length; p++) {
        const to = 4 * (middle + offset[p]), alpha = rgba[4 * p + 3] * strength;
        pixels[to] += (rgba[4 * p] - pixels[to]) * alpha;
        pixels[to + 1] += (rgba[4 * p + 1] - pixels[to + 1]) * alpha;
        pixels[to + 2] += (rgba[4 * p + 2] - pixels[to + 2]) * alpha;
      }
    }
  }
  still.getContext("2d").putImageData(buffer, -half, -half);
  map.stillView = { ...view };
  map.exact = true;
  map.cost = performance.now() - begun;
  map.canvas.dataset.drawMs = map.cost.toFixed(1);
}

/** Three numbers of "#rrggbb". */
const rgbOf = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** Bring the picture up to date; where drawing is slow, a move shifts the last picture and redraws at rest. */
function paint() {
  map.waiting = 0;
  if (!map.width) return;
  if (!map.exact && (map.cost < 30 || !map.moving)) drawPoints();
  const { pen, still, stillView: was, view: now } = map;
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, map.canvas.width, map.canvas.height);
  const zoom = now.k / was.k;
  const x = (now.x - was.x * zoom) * map.dpr, y = (now.y - was.y * zoom) * map.dpr;
  pen.drawImage(still, x, y, still.width * zoom, still.height * zoom);
  drawOver();
}

function wake(redraw = false) {
  if (redraw) map.exact = false;
  if (!map.waiting) map.waiting = requestAnimationFrame(paint);
}

/** The view has moved: redraw now, or, with many members, once it rests. */
function moved() {
  map.exact = false;
  map.moving = true;
  clearTimeout(map.later);
  map.later = setTimeout(() => { map.moving = false; wake(!map.exact); }, 140);
  wake();
}

/** Rings, lines to the nearest members, and the letters of groups. */
function drawOver() {
  const pen = map.top, ink = cssColor("--ink"), sheet = cssColor("--sheet");
  pen.setTransform(map.dpr, 0, 0, map.dpr, 0, 0);
  pen.clearRect(0, 0, map.width, map.height);
  const chosen = state.selected;
  if (chosen < 0) drawLetters(pen, ink, sheet);
  if (chosen >= 0) {
    const x = screenX(chosen), y = screenY(chosen);
    pen.strokeStyle = ink;
    for (const [other, share] of neighborsOf(chosen)) {
      pen.globalAlpha = 0.3 + 0.5 * share;
      pen.lineWidth = 0.8 + 1.4 * share;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(screenX(other), screenY(other));
      pen.stroke();
    }
    pen.globalAlpha = 1;
    for (const [other] of neighborsOf(chosen)) stamp(pen, other, 1.15, 1, ink);
    stamp(pen, chosen, 1.6, 2.5, ink);
  }
  if (state.hover >= 0 && state.hover !== chosen) stamp(pen, state.hover, 1.4, 2, ink);
}

/** One member drawn on top, larger. */
function stamp(pen, member, grow, line, ink) {
  const style = memberStyle(member), r = Math.max(map.spriteRadius, 4) * grow;
  trace(pen, style.shape, screenX(member), screenY(member), r);
  pen.fillStyle = style.fill;
  pen.fill();
  pen.lineWidth = line;
  pen.strokeStyle = ink;
  pen.stroke();
}

function drawLetters(pen, ink, sheet) {
  if (state.colorBy.startsWith("column:")) return;
  const taken = [];
  const named = map.width > 560 && data.groups.length <= 12;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = "600 12.5px " + cssColor("--sans");
  for (const g of data.groups) {
    if (!g.anchor || state.hidden.has(g.label)) continue;
    const x = g.anchor[0] * map.view.k + map.view.x, y = -g.anchor[1] * map.view.k + map.view.y;
    const short = g.name.length > 26 ? g.name.slice(0, 25) + "…" : g.name;
    for (const text of named ? [g.letter + "  \u2068" + short + "\u2069", g.letter] : [g.letter]) {
      const half = pen.measureText(text).width / 2 + 8;
      const box = [x - half, y - 11, x + half, y + 11];
      const crowded = taken.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]);
      const outside = box[0] < 2 || box[2] > map.width - 2;
      if ((crowded || outside) && text !== g.letter) continue;
      taken.push(box);
      pen.globalAlpha = 0.9;
      pen.fillStyle = sheet;
      pen.beginPath();
      pen.roundRect(box[0], box[1], 2 * half, 22, 11);
      pen.fill();
      pen.globalAlpha = 1;
      pen.lineWidth = 1.5;
      pen.strokeStyle = styleOf(g.label).edge;
      pen.stroke();
      pen.fillStyle = ink;
      pen.fillText(text, x, y + 0.5);
      break;
    }
  }
}

/** The nearest members of a member, with their likeness. @returns {[number, number][]} */
function neighborsOf(member) {
  const width = data.near.width, found = [];
  for (let j = 0; j < width; j++) {
    const other = near[member * width + j];
    if (other >= 0 && other < n && other !== member) found.push([other, nearShare[member * width + j] / 255]);
  }
  return found;
}

/** The member nearest to a place on the screen, or -1. */
function memberAt(x, y, within) {
  const { k } = map.view, wx = (x - map.view.x) / k, wy = -(y - map.view.y) / k, reach = within / k;
  const c0 = grid.column(wx - reach), c1 = grid.column(wx + reach);
  const r0 = grid.row(wy - reach), r1 = grid.row(wy + reach);
  let best = -1, least = reach * reach;
  for (let r = r0; r <= r1; r++) {
    for (let at = grid.start[r * grid.side + c0]; at < grid.start[r * grid.side + c1 + 1]; at++) {
      const i = grid.items[at];
      if (state.mask[i] !== 2) continue;
      const dx = places[2 * i] - wx, dy = places[2 * i + 1] - wy, d = dx * dx + dy * dy;
      if (d <= least) { least = d; best = i; }
    }
  }
  return best;
}

function fitView() {
  const pad = map.width < 500 ? 20 : 40;
  const spanX = grid.right - grid.left || 1, spanY = grid.high - grid.low || 1;
  const k = Math.min((map.width - 2 * pad) / spanX, (map.height - 2 * pad) / spanY);
  return { k, x: map.width / 2 - ((grid.left + grid.right) / 2) * k, y: map.height / 2 + ((grid.low + grid.high) / 2) * k };
}

function resize() {
  const box = map.stage.getBoundingClientRect();
  if (!box.width || !box.height) return;
  const before = { width: map.width, height: map.height };
  const same = map.view.k === map.fit.k && map.view.x === map.fit.x && map.view.y === map.fit.y;
  map.width = box.width - 2;
  map.height = box.height - 2;
  map.dpr = Math.min(window.devicePixelRatio || 1, 2);
  for (const canvas of [map.canvas, map.over]) {
    canvas.width = Math.round(map.width * map.dpr);
    canvas.height = Math.round(map.height * map.dpr);
  }
  map.fit = fitView();
  if (same || !before.width) map.view = { ...map.fit };
  else { map.view.x += (map.width - before.width) / 2; map.view.y += (map.height - before.height) / 2; }
  map.sprites = [];
  wake(true);
}

/** Zoom about a place on the screen. */
function zoom(factor, x = map.width / 2, y = map.height / 2) {
  const k = Math.max(map.fit.k * 0.5, Math.min(map.fit.k * 200, map.view.k * factor));
  const real = k / map.view.k;
  map.view = { k, x: x - (x - map.view.x) * real, y: y - (y - map.view.y) * real };
  moved();
}

/** Move the view so that a member can be seen. */
function reveal(member) {
  const x = screenX(member), y = screenY(member), edge = 30;
  if (x < edge) map.view.x += map.width / 2 - x;
  else if (x > map.width - edge) map.view.x += map.width / 2 - x;
  if (y < edge || y > map.height - edge) map.view.y += map.height / 2 - y;
  if (x < edge || x > map.width - edge || y < edge || y > map.height - edge) moved();
}

// ---------------------------------------------------------------- pointer on the map

/** @type {Map<number, {x: number, y: number}>} */
const fingers = new Map();
let drag = null;

const local = (event) => {
  const box = map.over.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

map.over.addEventListener("pointerdown", (event) => {
  fingers.set(event.pointerId, local(event));
  map.over.setPointerCapture(event.pointerId);
  drag = { ...local(event), far: 0, pinch: fingers.size > 1 };
});

map.over.addEventListener("pointermove", (event) => {
  const at = local(event), was = fingers.get(event.pointerId);
  if (!was) return point(at.x, at.y);
  if (fingers.size === 2) {
    const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
    const before = Math.hypot(was.x - other.x, was.y - other.y), after = Math.hypot(at.x - other.x, at.y - other.y);
    zoom(after / (before || 1), (at.x + other.x) / 2, (at.y + other.y) / 2);
  } else if (drag) {
    drag.far += Math.hypot(at.x - was.x, at.y - was.y);
    if (drag.far > 4) {
      map.view.x += at.x - was.x;
      map.view.y += at.y - was.y;
      point(-1, -1);
      moved();
    }
  }
  fingers.set(event.pointerId, at);
});

map.over.addEventListener("pointerup", (event) => {
  const at = local(event);
  fingers.delete(event.pointerId);
  if (drag && drag.far <= 4 && !drag.pinch) {
    const found = memberAt(at.x, at.y, event.pointerType === "touch" ? 26 : 14);
    if (found >= 0) select(found, { move: false });
    else letGo();
  }
  if (!fingers.size) drag = null;
});
map.over.addEventListener("pointercancel", (event) => { fingers.delete(event.pointerId); drag = null; });
map.over.addEventListener("pointerleave", () => point(-1, -1));

map.over.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) {
    $$("hint").hidden = false;
    clearTimeout(map.hint);
    map.hint = setTimeout(() => { $$("hint").hidden = true; }, 1400);
    return;
  }
  event.preventDefault();
  const at = local(event);
  zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) * 0.008), at.x, at.y);
}, { passive: false });
map.over.addEventListener("dblclick", (event) => { const at = local(event); zoom(2, at.x, at.y); });

/** The pointer stands here: name the member under it. */
function point(x, y) {
  const found = x < 0 ? -1 : memberAt(x, y, 14);
  const tip = $$("tip");
  if (found !== state.hover) {
    state.hover = found;
    map.over.classList.toggle("on", found >= 0);
    tip.hidden = found < 0;
    if (found >= 0) {
      const g = group(found);
      tip.replaceChildren(
        own("b", "", ids[found]),
        ...(snippets[found] && snippets[found] !== ids[found] ? [own("span", "line", snippets[found])] : []),
        own("div", "meta", `${g.letter} ${g.name}, confidence ${percent(confidence[found])}`),
      );
    }
    wake();
  }
  if (found < 0) return;
  const w = tip.offsetWidth, h = tip.offsetHeight;
  const left = Math.max(6, Math.min(map.width - w - 6, x + 16 + w > map.width ? x - w - 16 : x + 16));
  const high = y + 18 + h > map.height ? Math.max(6, y - h - 14) : y + 18;
  tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(high)}px)`;
}

// ---------------------------------------------------------------- search, legend, list

/** @type {string[] | null} */
let haystack = null;
const plain = (text) => text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase();

/** Work out who is shown after the search or the legend has changed. */
function refilter() {
  const words = plain(state.query).split(/\s+/).filter(Boolean);
  if (words.length && !haystack) haystack = ids.map((id, i) => plain(id + "\n" + snippets[i]));
  let shown = 0;
  for (let i = 0; i < n; i++) {
    const kept = !state.hidden.has(category(i));
    const met = !words.length || words.every((word) => haystack[i].includes(word));
    state.mask[i] = kept ? (met ? 2 : 1) : 0;
    if (state.mask[i] === 2) shown++;
  }
  state.listed = shown === n ? reading : reading.filter((i) => state.mask[i] === 2);
  const all = `${grouped(n)} ${n === 1 ? "member" : "members"}`;
  $$("count").textContent = shown === n ? all : `${grouped(shown)} of ${all}`;
  $$("all").hidden = !state.hidden.size;
  list.scrollTop = 0;
  fillList(true);
  wake(true);
}

/** The legend of the present colouring: one switch per category, or a ramp. */
function buildLegend() {
  const legend = $$("legend");
  if (state.colorBy === "confidence") {
    const box = make("div", "ramp"), canvas = /** @type {HTMLCanvasElement} */ (make("canvas", ""));
    paintRamp(canvas, faintest());
    const ends = make("div", "ramp-ends");
    ends.append(make("span", "", "doubtful"), make("span", "", "confidence"), make("span", "", "sure"));
    box.append(canvas, ends);
    legend.replaceChildren(box);
    return;
  }
  legend.replaceChildren(...categories().map((c) => {
    const button = /** @type {HTMLButtonElement} */ (make("button", ""));
    button.type = "button";
    button.title = c.name + "\nClick to hide or show, double-click to see it alone";
    button.dataset.key = String(c.key);
    button.setAttribute("aria-pressed", String(!state.hidden.has(c.key)));
    button.append(marker(styleOf(c.key)), ...(c.letter ? [make("b", "", c.letter)] : []), own("span", "name", c.name), make("span", "n", grouped(c.size)));
    return button;
  }));
}

function pressLegend() {
  for (const button of $$("legend").querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(!state.hidden.has(Number(button.dataset.key))));
  }
  refilter();
}

/** Show one category alone; again shows all. */
function alone(key) {
  const others = categories().map((c) => c.key).filter((k) => k !== key);
  const already = state.hidden.size === others.length && !state.hidden.has(key);
  state.hidden = new Set(already ? [] : others);
  pressLegend();
}

$$("legend").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const key = Number(button.dataset.key);
  if (event.shiftKey) return alone(key);
  if (!state.hidden.delete(key)) state.hidden.add(key);
  pressLegend();
});
$$("legend").addEventListener("dblclick", (event) => {
  const button = event.target.closest("button");
  if (button) alone(Number(button.dataset.key));
});
$$("all").addEventListener("click", () => { state.hidden.clear(); pressLegend(); });

let typing = 0;
$$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => { state.query = $$("search").value; refilter(); }, n > 4000 ? 90 : 20);
});
$$("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && state.listed.length) {
    event.preventDefault();
    select(state.listed[0]);
  }
});

function recolor() {
  map.sprites = [];
  buildLegend();
  fillList(true);
  if (state.selected >= 0) showCard(state.selected);
  wake(true);
}

$$("color").append(new Option("Group", "group"), new Option("Confidence", "confidence"));
columns.forEach((column, i) => {
  if (column.values.length > 1 && column.values.length <= data.few) $$("color").append(new Option(column.name, "column:" + i));
});
$$("color").addEventListener("change", () => {
  state.colorBy = $$("color").value;
  state.hidden.clear();
  recolor();
  refilter();
});

const ROW = 46;
const list = $$("list");
const run = make("div", "run");
list.append(run);
const rowsAt = { first: -1, last: -1 };

/** Put the rows that can be seen into the list, and no others. */
function fillList(anew = false) {
  const { listed } = state;
  run.style.height = listed.length * ROW + "px";
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
  const last = Math.min(listed.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 4);
  if (!anew && first === rowsAt.first && last === rowsAt.last) return;
  Object.assign(rowsAt, { first, last });
  const rows = [];
  for (let at = first; at < last; at++) rows.push(listRow(listed[at], at));
  run.replaceChildren(...(rows.length ? rows : [make("p", "empty", n ? "Nobody matches. Escape clears the search." : "There are no members.")]));
  if (state.selected >= 0 && $$("row-" + state.selected)) list.setAttribute("aria-activedescendant", "row-" + state.selected);
  else list.removeAttribute("aria-activedescendant");
}

function listRow(member, at) {
  const row = make("div", "row"), text = make("div", "text");
  row.id = "row-" + member;
  row.dataset.member = String(member);
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", String(member === state.selected));
  row.setAttribute("aria-setsize", String(state.listed.length));
  row.setAttribute("aria-posinset", String(at + 1));
  row.style.top = at * ROW + "px";
  text.append(own("span", "who", ids[member]));
  if (snippets[member] && snippets[member] !== ids[member]) text.append(own("span", "line", snippets[member]));
  row.append(marker(memberStyle(member)), text, make("span", "n", percent(confidence[member])));
  return row;
}

list.addEventListener("scroll", () => fillList(), { passive: true });
list.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) select(Number(row.dataset.member), { scroll: false });
});
list.addEventListener("pointerover", (event) => {
  const row = event.target.closest(".row");
  state.hover = row ? Number(row.dataset.member) : -1;
  wake();
});
list.addEventListener("pointerleave", () => { state.hover = -1; wake(); });

// ---------------------------------------------------------------- the card

/** Choose a member: card, rings, lines, and its place in the list. */
function select(member, { move = true, scroll = true } = {}) {
  state.selected = member;
  if (state.mask[member] === 0) { state.hidden.clear(); pressLegend(); }
  showCard(member);
  if (scroll) {
    const at = state.listed.indexOf(member);
    if (at >= 0) list.scrollTop = Math.max(0, at * ROW - list.clientHeight / 2 + ROW);
  }
  fillList(true);
  if (move) reveal(member);
  wake();
  $$("said").textContent = `${ids[member]}, ${group(member).name}, confidence ${percent(confidence[member])}`;
}

function letGo() {
  state.selected = -1;
  $$("card").replaceChildren();
  fillList(true);
  wake();
}

function showCard(member) {
  const g = group(member), head = make("header", ""), close = make("button", "close", "×");
  close.setAttribute("aria-label", "Close the card");
  close.addEventListener("click", letGo);
  head.append(own("h3", "", ids[member]), close);
  const belongs = make("p", "belongs");
  belongs.append(marker(styleOf(g.label)), own("b", "", `${g.letter} ${g.name}`), make("span", "", "confidence " + percent(confidence[member])));
  const parts = [head, belongs];
  if (snippets[member] && snippets[member] !== ids[member]) parts.push(own("p", "line", snippets[member]));
  if (columns.length) {
    const more = make("dl", "");
    for (const column of columns) more.append(own("dt", "", column.name), own("dd", "", column.values[column.codes[member]]));
    parts.push(more);
  }
  const others = neighborsOf(member);
  if (others.length) {
    const rows = make("ul", "");
    for (const [other, share] of others) {
      const item = make("li", ""), button = make("button", "near");
      button.title = snippets[other];
      button.append(marker(styleOf(labels[other]), 11), own("span", "name", ids[other]), make("span", "n", percent(share)));
      button.addEventListener("click", () => select(other));
      button.addEventListener("pointerenter", () => { state.hover = other; wake(); });
      button.addEventListener("pointerleave", () => { state.hover = -1; wake(); });
      item.append(button);
      rows.append(item);
    }
    parts.push(make("h4", "", "Nearest members"), rows);
  }
  $$("card").replaceChildren(...parts);
  $$("card").scrollTop = 0;
}

/** Go to the next or previous member of the same group, round and round; or to the next group. */
function step(by, groups = false) {
  const { listed, selected } = state;
  if (!listed.length) return;
  if (selected < 0) return select(listed[0]);
  if (groups) {
    const present = [...new Set(Array.from(listed, (i) => labels[i]))];
    const label = present[(present.indexOf(labels[selected]) + by + present.length) % present.length];
    return select(listed.find((i) => labels[i] === label));
  }
  const mates = listed.filter((i) => labels[i] === labels[selected]);
  if (!mates.length) return select(listed[0]);
  const at = mates.indexOf(selected);
  select(mates[at < 0 ? 0 : (at + by + mates.length) % mates.length]);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const where = /** @type {HTMLElement} */ (event.target);
  const typingNow = where.matches("input, select, textarea");
  if (event.key === "Escape") {
    if (state.query) { $$("search").value = state.query = ""; refilter(); }
    else letGo();
    if (typingNow) where.blur();
    return;
  }
  if (typingNow) return;
  const inside = where === map.over || where === list || where.closest(".card") !== null;
  const moves = {
    "/": () => { $$("search").focus(); $$("search").select(); toMap(); },
    j: () => step(1), k: () => step(-1),
    ...(inside && { ArrowDown: () => step(1), ArrowUp: () => step(-1), ArrowRight: () => step(1, true), ArrowLeft: () => step(-1, true) }),
    ...(where === map.over && { "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: fitAgain }),
  };
  if (moves[event.key]) {
    event.preventDefault();
    moves[event.key]();
  }
});

function fitAgain() {
  map.view = { ...map.fit };
  moved();
}

function toMap() {
  const box = $$("map").getBoundingClientRect();
  if (box.top < -80 || box.top > innerHeight - 320) $$("map").scrollIntoView({ behavior: wantsCalm.matches ? "auto" : "smooth" });
}

$$("zoom-in").addEventListener("click", () => zoom(1.5));
$$("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
$$("zoom-fit").addEventListener("click", fitAgain);

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-member], [data-group]");
  if (!link || link.closest("#list")) return;
  event.preventDefault();
  if (link.dataset.member !== undefined) select(Number(link.dataset.member));
  else {
    if (state.colorBy !== "group") { state.colorBy = $$("color").value = "group"; recolor(); }
    state.hidden = new Set(categories().map((c) => c.key).filter((key) => key !== Number(link.dataset.group)));
    letGo();
    pressLegend();
  }
  $$("map").scrollIntoView({ behavior: wantsCalm.matches ? "auto" : "smooth" });
});

// ---------------------------------------------------------------- the matrix

/** Paint the ramp of values. @param {HTMLCanvasElement} canvas */
function paintRamp(canvas, from = 0) {
  canvas.width = 256;
  canvas.height = 1;
  const pen = canvas.getContext("2d"), image = pen.createImageData(256, 1), table = ramp();
  for (let i = 0; i < 256; i++) {
    const level = Math.round(from * 255 + (1 - from) * i) * 3;
    image.data.set([table[level], table[level + 1], table[level + 2], 255], i * 4);
  }
  pen.putImageData(image, 0, 0);
}

const heat = (() => {
  const m = data.matrix;
  if (!m) return { paint() {} };
  const canvas = $$("heat"), pen = canvas.getContext("2d");
  const members = unpack(Int32Array, m.members), values = unpack(Uint16Array, m.values);
  const cells = document.createElement("canvas");
  cells.width = cells.height = m.side;
  const margin = 24;
  let cell = [-1, -1], size = 0, stale = true;
  const valueAt = (row, column) => m.least + (values[row * m.side + column] / 65535) * (m.most - m.least);

  /** Runs of members of the same group along an edge. */
  const runs = [];
  members.forEach((member, i) => {
    const last = runs[runs.length - 1];
    if (last && last.label === labels[member]) last.end = i + 1;
    else runs.push({ label: labels[member], start: i, end: i + 1 });
  });

  function color() {
    const image = new ImageData(m.side, m.side), table = ramp();
    for (let i = 0; i < values.length; i++) {
      const value = m.least + (values[i] / 65535) * (m.most - m.least);
      const level = Math.round(Math.max(0, Math.min(1, (value - m.low) / (m.high - m.low))) * 255) * 3;
      image.data[4 * i] = table[level];
      image.data[4 * i + 1] = table[level + 1];
      image.data[4 * i + 2] = table[level + 2];
      image.data[4 * i + 3] = 255;
    }
    cells.getContext("2d").putImageData(image, 0, 0);
    paintRamp($$("ramp"));
    stale = false;
  }

  function draw() {
    if (stale) color();
    const dpr = Math.min(window.devicePixelRatio || 1, 2), box = canvas.getBoundingClientRect();
    size = box.width;
    if (!size) return;
    canvas.width = canvas.height = Math.round(size * dpr);
    pen.setTransform(dpr, 0, 0, dpr, 0, 0);
    const inner = size - margin, one = inner / m.side;
    pen.imageSmoothingEnabled = one < 1;
    pen.drawImage(cells, margin, margin, inner, inner);
    const ink = cssColor("--ink");
    pen.font = "600 11px " + cssColor("--sans");
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 1;
    for (const r of runs) {
      const a = margin + r.start * one, b = margin + r.end * one, style = styleOf(r.label);
      pen.fillStyle = style.fill;
      pen.fillRect(margin - 5, a, 4, b - a);
      pen.fillRect(a, margin - 5, b - a, 4);
      pen.fillStyle = ink;
      if (b - a > 13) {
        const letter = (groupOf.get(r.label) || nobody).letter;
        pen.fillText(letter, margin - 14, (a + b) / 2);
        pen.fillText(letter, (a + b) / 2, margin - 14);
      }
      if (r.end < m.side && runs.length <= 64) {
        pen.strokeStyle = ink;
        pen.globalAlpha = 0.55;
        pen.beginPath();
        pen.moveTo(margin, Math.round(b) + 0.5);
        pen.lineTo(size, Math.round(b) + 0.5);
        pen.moveTo(Math.round(b) + 0.5, margin);
        pen.lineTo(Math.round(b) + 0.5, size);
        pen.stroke();
        pen.globalAlpha = 1;
      }
    }
    if (cell[0] >= 0) {
      pen.strokeStyle = ink;
      pen.lineWidth = 1.5;
      pen.strokeRect(margin, margin + cell[0] * one, inner, Math.max(one, 2));
      pen.strokeRect(margin + cell[1] * one, margin, Math.max(one, 2), inner);
    }
  }

  function name() {
    const [row, column] = cell, out = $$("pair");
    const parts = [make("p", "value", valueAt(row, column).toFixed(2))];
    for (const member of [members[row], members[column]]) {
      const line = make("div", "one"), text = make("div", "");
      text.append(own("b", "", ids[member]), ...(snippets[member] !== ids[member] ? [own("div", "line", snippets[member])] : []));
      line.append(marker(styleOf(labels[member])), text);
      parts.push(line);
    }
    const same = labels[members[row]] === labels[members[column]];
    parts.push(make("p", "small", row === column ? "The same member." : same ? "Both in the same group." : "In different groups."));
    out.replaceChildren(...parts);
  }

  function at(event) {
    const box = canvas.getBoundingClientRect(), one = (size - margin) / m.side;
    const row = Math.floor((event.clientY - box.top - margin) / one), column = Math.floor((event.clientX - box.left - margin) / one);
    return row >= 0 && column >= 0 && row < m.side && column < m.side ? [row, column] : [-1, -1];
  }

  let waiting = 0;
  function go(to) {
    if (to[0] === cell[0] && to[1] === cell[1]) return;
    cell = to;
    if (cell[0] >= 0) name();
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  }

  canvas.addEventListener("pointermove", (event) => go(at(event)));
  canvas.addEventListener("pointerleave", () => go([-1, -1]));
  canvas.addEventListener("click", (event) => {
    const to = at(event);
    if (to[0] < 0) return;
    select(members[to[0]]);
    $$("map").scrollIntoView({ behavior: wantsCalm.matches ? "auto" : "smooth" });
  });
  canvas.addEventListener("keydown", (event) => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const clamp = (v) => Math.max(0, Math.min(m.side - 1, v));
    go(cell[0] < 0 ? [0, 0] : [clamp(cell[0] + by[0]), clamp(cell[1] + by[1])]);
  });
  $$("ramp-low").textContent = (m.low > m.least + 0.005 ? "≤ " : "") + m.low.toFixed(2);
  $$("ramp-high").textContent = (m.high < m.most - 0.005 ? "≥ " : "") + m.high.toFixed(2);
  new ResizeObserver(() => { if (Math.abs(canvas.getBoundingClientRect().width - size) > 0.5) draw(); }).observe(canvas);
  return { paint() { stale = true; draw(); } };
})();

// ---------------------------------------------------------------- copying, theme, start

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = $$(button.dataset.copy);
  let done = true;
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    done = document.execCommand("copy");
  }
  button.textContent = done ? "Copied" : "Selected";
  setTimeout(() => { button.textContent = "Copy"; }, 1600);
});

$$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  themeChanged();
});
prefersDark.addEventListener("change", themeChanged);

document.documentElement.classList.remove("no-js");
new ResizeObserver(resize).observe(map.stage);
new ResizeObserver(() => fillList(true)).observe(list);
resize();
themeChanged();
refilter();
})();
