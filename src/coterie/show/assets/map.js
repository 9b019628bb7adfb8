/* The report's hands, second part: the map, drawn pixel by pixel, and the pointer on it. */

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
 * Draw each look once and keep its pixels: offsets from the middle, colors and opacities. Twenty thousand members
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
    const sign = g.unstable ? g.letter + "?" : g.letter; // an unstable group
    for (const text of named ? [sign + "  \u2068" + short + "\u2069", sign] : [sign]) {
      const half = pen.measureText(text).width / 2 + 8;
      const box = [x - half, y - 11, x + half, y + 11];
      const crowded = taken.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3]);
      const outside = box[0] < 2 || box[2] > map.width - 2;
      if ((crowded || outside) && text !== sign) continue;
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
      tip.replaceChildren(
        own("b", "", ids[found]),
        ...(lineOf(found) ? [own("span", "line", lineOf(found))] : []),
        ...(flat ? [] : [own("div", "meta", standing(found))]),
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
