// @ts-check
// The stage of the map: what part of it is seen, who stands where, and what a hand does on it (pointer, wheel, fingers, keys, lasso).

/** @typedef {import("./mapgl.js").View} View */
/** @typedef {{
 *   hover: (member: number, x: number, y: number) => void, pick: (member: number, add: boolean) => void,
 *   lasso: (members: Int32Array, add: boolean, ms: number) => void, moved: () => void, over: () => void, escape: () => void,
 * }} Hands */

const EDGE = 30, STEP = 60;

/** A grid over the places, so that who is near is found without looking at everybody. @param {Float32Array} places */
function gridOf(places) {
  const n = places.length / 2;
  let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
  for (let i = 0; i < n; i++) {
    left = Math.min(left, places[2 * i]); right = Math.max(right, places[2 * i]);
    low = Math.min(low, places[2 * i + 1]); high = Math.max(high, places[2 * i + 1]);
  }
  if (!n) left = right = low = high = 0;
  const side = Math.max(1, Math.ceil(Math.sqrt(n / 3)));
  const wide = (right - left || 1) / side, tall = (high - low || 1) / side;
  const column = (/** @type {number} */ x) => Math.max(0, Math.min(side - 1, Math.floor((x - left) / wide)));
  const row = (/** @type {number} */ y) => Math.max(0, Math.min(side - 1, Math.floor((y - low) / tall)));
  const start = new Int32Array(side * side + 1), items = new Int32Array(n);
  for (let i = 0; i < n; i++) start[row(places[2 * i + 1]) * side + column(places[2 * i]) + 1]++;
  for (let c = 0; c < side * side; c++) start[c + 1] += start[c];
  const fill = start.slice(0, side * side);
  for (let i = 0; i < n; i++) items[fill[row(places[2 * i + 1]) * side + column(places[2 * i])]++] = i;
  return { left, right, low, high, side, column, row, start, items };
}

export class Stage {
  /** @param {HTMLElement} box @param {HTMLCanvasElement} over @param {Float32Array} places @param {Hands} hands */
  constructor(box, over, places, hands) {
    this.box = box; this.over = over; this.places = places; this.hands = hands;
    this.grid = gridOf(places);
    this.view = { k: 1, x: 0, y: 0 }; this.fit = { k: 1, x: 0, y: 0 };
    this.width = 0; this.height = 0; this.dpr = 1;
    /** @type {"move" | "lasso" | "box"} */ this.tool = "move";
    /** @type {number[]} */ this.path = [];
    /** @type {Uint8Array | null} */ this.mask = null;
    /** @type {Map<number, {x: number, y: number}>} */ this.fingers = new Map();
    this.drag = { on: false, far: 0, pinch: false, add: false };
    this.listen();
  }

  x(/** @type {number} */ i) { return this.view.x + this.view.k * this.places[2 * i]; }
  y(/** @type {number} */ i) { return this.view.y - this.view.k * this.places[2 * i + 1]; }

  /** Take the size of the box; whether it changed. */
  measure() {
    const width = this.box.clientWidth, height = this.box.clientHeight, dpr = Math.min(window.devicePixelRatio || 1, 2);
    if (!width || !height || (width === this.width && height === this.height && dpr === this.dpr)) return false;
    const whole = !this.width || (this.view.k === this.fit.k && this.view.x === this.fit.x && this.view.y === this.fit.y);
    const dx = (width - this.width) / 2, dy = (height - this.height) / 2;
    Object.assign(this, { width, height, dpr });
    const pad = width < 500 ? 22 : 44, { left, right, low, high } = this.grid;
    const k = Math.min((width - 2 * pad) / (right - left || 1), (height - 2 * pad) / (high - low || 1));
    this.fit = { k, x: width / 2 - ((left + right) / 2) * k, y: height / 2 + ((low + high) / 2) * k };
    if (whole) this.view = { ...this.fit }; else { this.view.x += dx; this.view.y += dy; }
    return true;
  }

  /** The radius of a marker: small in crowds, larger when close. */
  radius() {
    const n = this.places.length / 2;
    const base = n <= 150 ? 6.5 : n <= 600 ? 5.4 : n <= 2500 ? 4.2 : n <= 8000 ? 3.2 : n <= 25000 ? 2.4 : 2;
    return Math.min(9, base * Math.pow(Math.max(1, this.view.k / this.fit.k), 0.38)) * (this.width < 500 ? 0.85 : 1);
  }

  zoom(/** @type {number} */ factor, x = this.width / 2, y = this.height / 2) {
    const k = Math.max(this.fit.k * 0.5, Math.min(this.fit.k * 400, this.view.k * factor)), real = k / this.view.k;
    this.view = { k, x: x - (x - this.view.x) * real, y: y - (y - this.view.y) * real };
    this.hands.moved();
  }
  pan(/** @type {number} */ dx, /** @type {number} */ dy) { this.view.x += dx; this.view.y += dy; this.hands.moved(); }
  whole() { this.view = { ...this.fit }; this.hands.moved(); }

  /** Show these members as large as they fit. @param {ArrayLike<number>} members */
  frame(members) {
    if (!members.length) return;
    let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
    for (let j = 0; j < members.length; j++) {
      const x = this.places[2 * members[j]], y = this.places[2 * members[j] + 1];
      left = Math.min(left, x); right = Math.max(right, x); low = Math.min(low, y); high = Math.max(high, y);
    }
    const k = Math.max(this.fit.k, Math.min(this.fit.k * 12, (this.width - 120) / (right - left || 1e-6), (this.height - 120) / (high - low || 1e-6)));
    this.view = { k, x: this.width / 2 - ((left + right) / 2) * k, y: this.height / 2 + ((low + high) / 2) * k };
    this.hands.moved();
  }

  reveal(/** @type {number} */ i) {
    const x = this.x(i), y = this.y(i);
    if (x >= EDGE && x <= this.width - EDGE && y >= EDGE && y <= this.height - EDGE) return;
    this.pan(this.width / 2 - x, this.height / 2 - y);
  }

  meant(/** @type {number} */ i) { return !this.mask || this.mask[i] === 2; }

  /** The member nearest to a place on the screen, or -1. */
  at(/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ within) {
    const { k } = this.view, wx = (x - this.view.x) / k, wy = (this.view.y - y) / k, reach = within / k, g = this.grid;
    let best = -1, least = reach * reach;
    for (let r = g.row(wy - reach); r <= g.row(wy + reach); r++) {
      for (let at = g.start[r * g.side + g.column(wx - reach)]; at < g.start[r * g.side + g.column(wx + reach) + 1]; at++) {
        const i = g.items[at];
        if (!this.meant(i)) continue;
        const dx = this.places[2 * i] - wx, dy = this.places[2 * i + 1] - wy, d = dx * dx + dy * dy;
        if (d <= least) { least = d; best = i; }
      }
    }
    return best;
  }

  /** The nearest member in a direction from one, as the eye would go: straight ahead rather than aside. */
  toward(/** @type {number} */ from, /** @type {number} */ dx, /** @type {number} */ dy) {
    let best = -1, least = Infinity;
    const x0 = from < 0 ? this.width / 2 : this.x(from), y0 = from < 0 ? this.height / 2 : this.y(from);
    for (let i = 0; i < this.places.length / 2; i++) {
      if (i === from || !this.meant(i)) continue;
      const x = this.x(i) - x0, y = this.y(i) - y0, ahead = x * dx + y * dy;
      if (from >= 0 && ahead <= 0.01) continue;
      const aside = Math.abs(x * dy - y * dx), cost = from < 0 ? Math.hypot(x, y) : ahead + 2.5 * aside;
      if (cost < least) { least = cost; best = i; }
    }
    return best;
  }

  /** Members inside the view. */
  inView() {
    const found = [];
    for (let i = 0; i < this.places.length / 2; i++) {
      const x = this.x(i), y = this.y(i);
      if (x >= 0 && y >= 0 && x <= this.width && y <= this.height && this.meant(i)) found.push(i);
    }
    return Int32Array.from(found);
  }

  /** Members inside an outline of screen places [x, y, x, y, ...]. @param {number[]} path */
  inside(path) {
    const m = path.length / 2, { k, x, y } = this.view, xs = new Float64Array(m), ys = new Float64Array(m);
    let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
    for (let j = 0; j < m; j++) {
      xs[j] = (path[2 * j] - x) / k; ys[j] = (y - path[2 * j + 1]) / k;
      left = Math.min(left, xs[j]); right = Math.max(right, xs[j]); low = Math.min(low, ys[j]); high = Math.max(high, ys[j]);
    }
    const found = [];
    for (let i = 0; i < this.places.length / 2; i++) {
      const px = this.places[2 * i], py = this.places[2 * i + 1];
      if (px < left || px > right || py < low || py > high || !this.meant(i)) continue;
      let odd = false;
      for (let a = 0, b = m - 1; a < m; b = a++) {
        if (ys[a] > py !== ys[b] > py && px < ((xs[b] - xs[a]) * (py - ys[a])) / (ys[b] - ys[a]) + xs[a]) odd = !odd;
      }
      if (odd) found.push(i);
    }
    return Int32Array.from(found);
  }

  /** @param {PointerEvent | WheelEvent | MouseEvent} event */
  local(event) {
    const box = this.over.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  listen() {
    const { over } = this;
    over.addEventListener("pointerdown", (event) => this.down(event));
    over.addEventListener("pointermove", (event) => this.move(event));
    over.addEventListener("pointerup", (event) => this.up(event));
    over.addEventListener("pointercancel", (event) => { this.fingers.delete(event.pointerId); this.drag.on = false; this.path = []; this.hands.over(); });
    over.addEventListener("pointerleave", () => this.hands.hover(-1, 0, 0));
    over.addEventListener("dblclick", (event) => { const at = this.local(event); this.zoom(2, at.x, at.y); });
    over.addEventListener("wheel", (event) => {
      event.preventDefault();
      const at = this.local(event);
      this.zoom(Math.exp(-Math.max(-90, Math.min(90, event.deltaY)) * (event.ctrlKey ? 0.01 : 0.0035)), at.x, at.y);
    }, { passive: false });
  }

  /** @param {PointerEvent} event */
  down(event) {
    const at = this.local(event);
    this.fingers.set(event.pointerId, at);
    this.over.setPointerCapture(event.pointerId);
    const draws = event.shiftKey && this.tool === "move" ? "lasso" : this.tool;
    this.drag = { on: true, far: 0, pinch: this.fingers.size > 1, add: event.shiftKey || event.ctrlKey || event.metaKey };
    this.drawing = this.fingers.size > 1 ? "move" : draws;
    this.path = this.drawing === "move" ? [] : [at.x, at.y];
  }

  /** @param {PointerEvent} event */
  move(event) {
    const at = this.local(event), was = this.fingers.get(event.pointerId);
    if (!was) { if (event.pointerType !== "touch") this.hands.hover(this.at(at.x, at.y, 12), at.x, at.y); return; }
    const far = Math.hypot(at.x - was.x, at.y - was.y);
    if (this.fingers.size === 2) {
      const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1] ?? at;
      const before = Math.hypot(was.x - other.x, was.y - other.y), after = Math.hypot(at.x - other.x, at.y - other.y);
      this.drag.pinch = true; this.path = [];
      this.zoom(after / (before || 1), (at.x + other.x) / 2, (at.y + other.y) / 2);
    } else if (this.drag.on && this.drawing === "move") {
      this.drag.far += far;
      if (this.drag.far > 4) { this.hands.hover(-1, 0, 0); this.pan(at.x - was.x, at.y - was.y); }
    } else if (this.drag.on && (this.drawing === "box" || far >= 2)) {
      this.drag.far += far;
      const [x, y] = this.path;
      if (this.drawing === "box") this.path = [x, y, at.x, y, at.x, at.y, x, at.y]; else this.path.push(at.x, at.y);
      this.hands.over();
    } else return;
    this.fingers.set(event.pointerId, at);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const at = this.local(event), { drag } = this;
    this.fingers.delete(event.pointerId);
    if (!drag.on || drag.pinch) { if (!this.fingers.size) drag.on = false; return; }
    drag.on = false;
    const path = this.path;
    this.path = [];
    if (path.length >= 6 && drag.far > 8) {
      const begun = performance.now(), found = this.inside(path);
      this.hands.lasso(found, drag.add, performance.now() - begun);
    } else if (drag.far <= 4) this.hands.pick(this.at(at.x, at.y, event.pointerType === "touch" ? 24 : 12), drag.add);
    this.hands.over();
  }

  /** Keys on the map; true where the key meant something. @param {KeyboardEvent} event @param {number} chosen */
  key(event, chosen) {
    const ways = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
    const way = ways[event.key];
    if (way && event.shiftKey) this.pan(-way[0] * STEP, -way[1] * STEP);
    else if (way) { const next = this.toward(chosen, ...way); if (next >= 0) { this.reveal(next); this.hands.pick(next, false); } }
    else if (event.key === "+" || event.key === "=") this.zoom(1.4);
    else if (event.key === "-" || event.key === "_") this.zoom(1 / 1.4);
    else if (event.key === "0" || event.key === "Home") this.whole();
    else if (event.key === " " && chosen >= 0) this.hands.pick(chosen, true);
    else if (event.key === "Escape") { this.path = []; this.drag.on = false; this.hands.escape(); }
    else return false;
    event.preventDefault();
    return true;
  }
}
