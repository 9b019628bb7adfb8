// @ts-check
// Two painters of many members with one face: WebGL where the machine has it, and pixels written by hand where it has not.

/**
 * @typedef {{fill: string, edge: string, shape: number}} Look  a way to draw a member; shape -1 is a circle
 * @typedef {{k: number, x: number, y: number}} View  place on screen = x + k * place (downwards: y - k * place)
 * @typedef {{
 *   kind: string, resize: (width: number, height: number, dpr: number) => void,
 *   looks: (of: Uint16Array, looks: Look[]) => void, mask: (mask: Uint8Array) => void,
 *   draw: (view: View, radius: number, paper: string) => void,
 * }} Painter
 */

export const FAINT = 0.13; // of members that are there but not meant

/** @param {string} color "#rrggbb" or "rgb(r,g,b)" @returns {number[]} */
export function rgbOf(color) {
  if (color.startsWith("#")) return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  return (color.match(/[\d.]+/g) ?? ["128", "128", "128"]).slice(0, 3).map(Number);
}

/**
 * Everybody in an order that is always the same: by squares of the map, which is quick to draw, and mixed inside each, so that
 * no group covers all others. @param {Float32Array} places from -1 to 1 @returns {Int32Array}
 */
export function mixed(places) {
  const n = places.length / 2, order = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1, seed = 12345; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((seed / 4294967296) * (i + 1)), was = order[i];
    order[i] = order[j]; order[j] = was;
  }
  const side = 24, square = (/** @type {number} */ v) => Math.max(0, Math.min(side - 1, Math.floor(((v + 1) / 2) * side)));
  const start = new Int32Array(side * side + 1), sorted = new Int32Array(n), of = new Uint16Array(n);
  for (let i = 0; i < n; i++) { of[i] = square(-places[2 * i + 1]) * side + square(places[2 * i]); start[of[i] + 1]++; }
  for (let c = 0; c < side * side; c++) start[c + 1] += start[c];
  for (const i of order) sorted[start[of[i]]++] = i;
  return sorted;
}

/**
 * The outline of a marker. @param {CanvasRenderingContext2D} pen @param {[number, number][][]} shapes
 * @param {number} shape @param {number} x @param {number} y @param {number} radius
 */
export function trace(pen, shapes, shape, x, y, radius) {
  pen.beginPath();
  const corners = shape < 0 ? [] : shapes[shape];
  if (!corners.length) { pen.arc(x, y, radius, 0, 2 * Math.PI); return; }
  corners.forEach(([cx, cy], i) => (i ? pen.lineTo(x + cx * radius, y + cy * radius) : pen.moveTo(x + cx * radius, y + cy * radius)));
  pen.closePath();
}

/**
 * The best painter there is; `wanted` ("webgl" or "flat") asks for one.
 * @param {HTMLCanvasElement} canvas @param {Float32Array} places @param {[number, number][][]} shapes @param {string} wanted
 * @returns {Painter}
 */
export function painterFor(canvas, places, shapes, wanted = "") {
  if (wanted === "webgl" || (wanted !== "flat" && isReal())) {
    const gl = /** @type {WebGLRenderingContext | null} */ (canvas.getContext("webgl", OPTIONS));
    const made = gl ? glPainter(gl, canvas, places, shapes) : null;
    if (made) return made;
  }
  return flatPainter(canvas, places, shapes);
}

const OPTIONS = { antialias: false, alpha: false, depth: false };

/** Whether WebGL is there and works on a graphics card; one that only pretends, on the processor, is slower than our own pixels. */
function isReal() {
  const gl = /** @type {WebGLRenderingContext | null} */ (document.createElement("canvas").getContext("webgl", { ...OPTIONS, failIfMajorPerformanceCaveat: true }));
  if (!gl || !linked(gl)) return false;
  const told = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

// ---------------------------------------------------------------- WebGL

const CELL = 64; // pixels of a shape in the sheet of shapes

const VERTEX = `
attribute vec2 place; attribute vec3 fill; attribute vec3 edge; attribute float shape; attribute float mask;
uniform vec3 view; uniform vec2 screen; uniform float size; uniform float pass;
varying vec3 inside; varying vec3 outline; varying float at;
void main() {
  vec2 p = vec2(view.x + view.z * place.x, view.y - view.z * place.y);
  gl_Position = abs(mask - pass) < 0.25 ? vec4(2.0 * p.x / screen.x - 1.0, 1.0 - 2.0 * p.y / screen.y, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = size; inside = fill; outline = edge; at = shape;
}`;
const FRAGMENT = `
precision mediump float;
uniform sampler2D sheet; uniform float shapes; uniform float strength; uniform float rim;
varying vec3 inside; varying vec3 outline; varying float at;
void main() {
  vec4 s = texture2D(sheet, vec2((at + gl_PointCoord.x) / shapes, gl_PointCoord.y));
  float cover = max(s.r, s.g);
  if (cover < 0.03) discard;
  gl_FragColor = vec4(mix(inside, outline, s.g * rim), cover * strength);
}`;

/**
 * @param {WebGLRenderingContext} gl @param {HTMLCanvasElement} canvas @param {Float32Array} places @param {[number, number][][]} shapes
 * @returns {Painter | null}
 */
function glPainter(gl, canvas, places, shapes) {
  const program = linked(gl);
  if (!program) return null;
  const n = places.length / 2, count = shapes.length + 1, order = mixed(places);
  gl.useProgram(program);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, sheetOf(shapes));
  for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) gl.texParameteri(gl.TEXTURE_2D, name, value);
  const uniform = (/** @type {string} */ name) => gl.getUniformLocation(program, name);
  const at = { view: uniform("view"), screen: uniform("screen"), size: uniform("size"), pass: uniform("pass"), shapes: uniform("shapes"), strength: uniform("strength"), rim: uniform("rim") };
  gl.uniform1f(at.shapes, count);
  const look = new Uint8Array(8 * n), mask = new Uint8Array(n).fill(2);
  const put = (/** @type {string} */ name, /** @type {number} */ size, /** @type {number} */ type, /** @type {boolean} */ unit, /** @type {number} */ stride, /** @type {number} */ offset) => {
    const place = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, unit, stride, offset);
  };
  const buffer = (/** @type {ArrayBufferView} */ data) => {
    const made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    return made;
  };
  buffer(Float32Array.from({ length: 2 * n }, (_, j) => places[2 * order[j >> 1] + (j & 1)])); put("place", 2, gl.FLOAT, false, 0, 0);
  const looks = buffer(look); put("fill", 3, gl.UNSIGNED_BYTE, true, 8, 0); put("edge", 3, gl.UNSIGNED_BYTE, true, 8, 3); put("shape", 1, gl.UNSIGNED_BYTE, false, 8, 6);
  const masks = buffer(mask); put("mask", 1, gl.UNSIGNED_BYTE, false, 0, 0);
  let width = 1, height = 1, dpr = 1;
  return {
    kind: "webgl",
    resize(w, h, scale) { width = w; height = h; dpr = scale; gl.viewport(0, 0, canvas.width, canvas.height); },
    looks(of, all) {
      const rows = all.map((one) => [...rgbOf(one.fill), ...rgbOf(one.edge), one.shape < 0 ? 0 : one.shape + 1, 0]);
      for (let j = 0; j < n; j++) look.set(rows[of[order[j]]], 8 * j);
      gl.bindBuffer(gl.ARRAY_BUFFER, looks);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, look);
    },
    mask(given) { for (let j = 0; j < n; j++) mask[j] = given[order[j]]; gl.bindBuffer(gl.ARRAY_BUFFER, masks); gl.bufferSubData(gl.ARRAY_BUFFER, 0, mask); },
    draw(view, radius, paper) {
      const [r, g, b] = rgbOf(paper);
      gl.clearColor(r / 255, g / 255, b / 255, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniform3f(at.view, view.x, view.y, view.k);
      gl.uniform2f(at.screen, width, height);
      gl.uniform1f(at.size, radius * 2.9 * dpr);
      gl.uniform1f(at.rim, Math.max(0.2, Math.min(1, (radius * dpr - 1.4) / 3.5)));
      for (const [pass, strength] of [[1, FAINT], [2, 0.94]]) {
        gl.uniform1f(at.pass, pass);
        gl.uniform1f(at.strength, strength);
        gl.drawArrays(gl.POINTS, 0, n);
      }
    },
  };
}

/** @param {WebGLRenderingContext} gl @returns {WebGLProgram | null} */
function linked(gl) {
  const program = gl.createProgram();
  if (!program) return null;
  for (const [kind, text] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]])) {
    const shader = gl.createShader(kind);
    if (!shader) return null;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) ? program : null;
}

/** All shapes side by side: red where they are filled, green where their edge is. @param {[number, number][][]} shapes */
function sheetOf(shapes) {
  const canvas = document.createElement("canvas"), count = shapes.length + 1;
  canvas.width = CELL * count;
  canvas.height = CELL;
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = "#000";
  pen.fillRect(0, 0, canvas.width, CELL);
  pen.globalCompositeOperation = "lighter";
  for (let s = 0; s < count; s++) {
    trace(pen, shapes, s - 1, CELL * (s + 0.5), CELL / 2, CELL / 2.9);
    pen.fillStyle = "#f00";
    pen.fill();
    pen.strokeStyle = "#0f0";
    pen.lineWidth = CELL / 16;
    pen.stroke();
  }
  return canvas;
}

// ---------------------------------------------------------------- pixels

/**
 * Every look is drawn once and kept as offsets and colors; members are then written into one buffer of pixels.
 * @param {HTMLCanvasElement} canvas @param {Float32Array} places @param {[number, number][][]} shapes @returns {Painter}
 */
function flatPainter(canvas, places, shapes) {
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  const n = places.length / 2, order = mixed(places);
  let dpr = 1, drawn = 0, half = 0;
  /** @type {Uint16Array} */ let of = new Uint16Array(n);
  /** @type {Uint8Array} */ let mask = new Uint8Array(n).fill(2);
  let buffer = new ImageData(1, 1), pixels = new Uint32Array(1);
  /** @type {Look[]} */ let looks = [];
  /** @type {{solid: Int32Array, color: number, soft: Int32Array, rgba: Uint8Array}[]} */ let sprites = [];

  function prepare(/** @type {number} */ radius) {
    half = Math.ceil((radius * 1.35 + 1) * dpr);
    const size = 2 * half + 1, small = document.createElement("canvas");
    small.width = small.height = size;
    const own = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d", { willReadFrequently: true }));
    const stride = canvas.width + 2 * half;
    sprites = looks.map((look) => {
      own.setTransform(1, 0, 0, 1, 0, 0);
      own.clearRect(0, 0, size, size);
      own.setTransform(dpr, 0, 0, dpr, half + 0.5, half + 0.5);
      trace(own, shapes, look.shape, 0, 0, radius);
      own.fillStyle = look.fill;
      own.fill();
      own.lineWidth = radius < 3 ? 0.5 : 0.9;
      own.strokeStyle = look.edge;
      own.stroke();
      return sprite(own.getImageData(0, 0, size, size), half, stride, look.fill);
    });
    if (buffer.width !== stride || buffer.height !== canvas.height + 2 * half) {
      buffer = new ImageData(stride, canvas.height + 2 * half);
      pixels = new Uint32Array(buffer.data.buffer);
    }
    drawn = radius;
  }

  /** @param {View} view @param {number} pass @param {number} strength */
  function put(view, pass, strength) {
    const data = buffer.data, stride = buffer.width, high = buffer.height, { x, y, k } = view, full = strength === 1;
    for (let j = 0; j < n; j++) {
      const i = order[j];
      if (mask[i] !== pass) continue;
      const px = Math.round((x + k * places[2 * i]) * dpr) + half, py = Math.round((y - k * places[2 * i + 1]) * dpr) + half;
      if (!(px >= half && py >= half && px < stride - half && py < high - half)) continue;
      const { solid, color, soft, rgba } = sprites[of[i]], middle = py * stride + px;
      if (full) for (let p = 0; p < solid.length; p++) pixels[middle + solid[p]] = color;
      else blend(data, middle, solid, color, strength);
      for (let p = 0; p < soft.length; p++) {
        const to = 4 * (middle + soft[p]), alpha = rgba[4 * p + 3] * strength / 255;
        data[to] += (rgba[4 * p] - data[to]) * alpha;
        data[to + 1] += (rgba[4 * p + 1] - data[to + 1]) * alpha;
        data[to + 2] += (rgba[4 * p + 2] - data[to + 2]) * alpha;
      }
    }
  }

  return {
    kind: "flat",
    resize(_w, _h, scale) { dpr = scale; drawn = 0; },
    looks(given, all) { of = given; looks = all; drawn = 0; },
    mask(given) { mask = given; },
    draw(view, radius, paper) {
      if (Math.abs(drawn - radius) > 0.2) prepare(radius);
      const [r, g, b] = rgbOf(paper);
      pixels.fill((255 << 24) | (b << 16) | (g << 8) | r);
      put(view, 1, FAINT);
      put(view, 2, 1);
      pen.putImageData(buffer, -half, -half);
    },
  };
}

/** @param {Uint8ClampedArray} data @param {number} middle @param {Int32Array} offsets @param {number} color @param {number} alpha */
function blend(data, middle, offsets, color, alpha) {
  const r = color & 255, g = (color >> 8) & 255, b = (color >> 16) & 255;
  for (let p = 0; p < offsets.length; p++) {
    const to = 4 * (middle + offsets[p]);
    data[to] += (r - data[to]) * alpha;
    data[to + 1] += (g - data[to + 1]) * alpha;
    data[to + 2] += (b - data[to + 2]) * alpha;
  }
}

/** A drawn look as offsets: those of the plain fill by themselves, which are written without mixing. @param {ImageData} image @param {number} half @param {number} stride @param {string} fill */
function sprite(image, half, stride, fill) {
  const [r, g, b] = rgbOf(fill), color = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  const all = new Uint32Array(image.data.buffer), solid = [], soft = [], rgba = [];
  for (let at = 0; at < all.length; at++) {
    const alpha = image.data[4 * at + 3];
    if (alpha < 8) continue;
    const offset = (Math.floor(at / image.width) - half) * stride + (at % image.width) - half;
    if (all[at] === color) { solid.push(offset); continue; }
    soft.push(offset);
    rgba.push(...image.data.subarray(4 * at, 4 * at + 4));
  }
  return { solid: Int32Array.from(solid), color, soft: Int32Array.from(soft), rgba: Uint8Array.from(rgba) };
}
