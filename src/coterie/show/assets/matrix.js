/* The report's hands, last part: the matrix, copying, and the start. */

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
    for (const r of flat ? [] : runs) {
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
      text.append(own("b", "", ids[member]), ...(lineOf(member) ? [own("div", "line", lineOf(member))] : []));
      line.append(marker(styleOf(labels[member])), text);
      parts.push(line);
    }
    const same = labels[members[row]] === labels[members[column]];
    if (row === column) parts.push(make("p", "small", "The same member."));
    else if (!flat) parts.push(make("p", "small", same ? "Both in the same group." : "In different groups."));
    out.replaceChildren(...parts);
  }

  function at(event) {
    const box = canvas.getBoundingClientRect(), one = (size - margin) / m.side;
    const row = Math.floor((event.clientY - box.top - margin) / one), column = Math.floor((event.clientX - box.left - margin) / one);
    return row >= 0 && column >= 0 && row < m.side && column < m.side ? [row, column] : [-1, -1];
  }

  let waiting = 0, last = [0, 0], pointed = [-1, -1];
  function go(to) {
    if (to[0] === cell[0] && to[1] === cell[1]) return;
    cell = to;
    if (cell[0] >= 0) {
      last = cell;
      name();
    }
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(draw);
  }

  /** Find the member of a row on the map. */
  function open(row) {
    select(members[row]);
    $$("map").scrollIntoView({ behavior: wantsCalm.matches ? "auto" : "smooth" });
  }

  for (const kind of ["pointermove", "pointerdown"]) canvas.addEventListener(kind, (event) => go(pointed = at(event)));
  canvas.addEventListener("pointerleave", () => { if (!canvas.matches(":focus-visible")) go([-1, -1]); });
  // A click carries coarser coordinates than a move, and rows may be thinner than a pixel: the row last pointed at counts.
  canvas.addEventListener("click", () => { if (pointed[0] >= 0) open(pointed[0]); });
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && cell[0] >= 0) {
      event.preventDefault();
      open(cell[0]);
      map.over.focus({ preventScroll: true });
      return;
    }
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const clamp = (v) => Math.max(0, Math.min(m.side - 1, v));
    go(cell[0] < 0 ? last : [clamp(cell[0] + by[0]), clamp(cell[1] + by[1])]);
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
let legendWide = 0;
new ResizeObserver(() => {
  if ($$("legend").clientWidth === legendWide) return;
  legendWide = $$("legend").clientWidth;
  fitLegend();
}).observe($$("legend"));
resize();
themeChanged();
refilter();
