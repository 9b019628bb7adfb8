// @ts-check
// What is drawn above the members: names of groups, the chosen one with lines to its nearest, and the lasso.
import { column, css, data, lookOf, state, styleOf } from "./mapmodel.js";
import { trace } from "./mapgl.js";

/** @param {import("./mapstage.js").Stage} stage */
export function drawOver(stage) {
  const pen = /** @type {CanvasRenderingContext2D} */ (stage.over.getContext("2d")), ink = css("--ink"), accent = css("--accent");
  pen.setTransform(stage.dpr, 0, 0, stage.dpr, 0, 0);
  pen.clearRect(0, 0, stage.width, stage.height);
  if (state.chosen < 0 && !column() && !data.head.flat && !state.many && !state.hits) names(pen, ink, stage);
  if (state.chosen >= 0) {
    const x = stage.x(state.chosen), y = stage.y(state.chosen);
    pen.strokeStyle = ink;
    for (const [other, share] of state.near) {
      pen.globalAlpha = 0.25 + 0.55 * share; pen.lineWidth = 0.8 + 1.6 * share;
      pen.beginPath(); pen.moveTo(x, y); pen.lineTo(stage.x(other), stage.y(other)); pen.stroke();
    }
    pen.globalAlpha = 1;
    for (const [other] of state.near) stamp(pen, other, 1.2, 1.2, ink, stage);
    stamp(pen, state.chosen, 1.7, 2.5, ink, stage);
  }
  if (state.hover >= 0 && state.hover !== state.chosen) stamp(pen, state.hover, 1.45, 2, ink, stage);
  if (stage.path.length > 3) {
    pen.beginPath();
    for (let j = 0; j < stage.path.length; j += 2) pen.lineTo(stage.path[j], stage.path[j + 1]);
    pen.closePath();
    pen.fillStyle = accent; pen.globalAlpha = 0.12; pen.fill();
    pen.globalAlpha = 1; pen.strokeStyle = accent; pen.lineWidth = 1.6; pen.setLineDash([6, 4]); pen.stroke(); pen.setLineDash([]);
  }
}

/** @param {CanvasRenderingContext2D} pen @param {number} i @param {number} grow @param {number} line @param {string} ink @param {import("./mapstage.js").Stage} stage */
function stamp(pen, i, grow, line, ink, stage) {
  const style = lookOf(i);
  trace(pen, data.head.shapes, style.shape, stage.x(i), stage.y(i), Math.max(stage.radius(), 4.2) * grow);
  pen.fillStyle = style.fill; pen.fill();
  pen.lineWidth = line; pen.strokeStyle = ink; pen.stroke();
}

/** Numbers and names of groups where they stand. @param {CanvasRenderingContext2D} pen @param {string} ink @param {import("./mapstage.js").Stage} stage */
function names(pen, ink, stage) {
  const sheet = css("--sheet"), named = stage.width > 560 && data.head.groups.length <= 14;
  /** @type {number[][]} */ const taken = [];
  pen.textAlign = "center"; pen.textBaseline = "middle"; pen.font = `600 12.5px ${css("--sans")}`;
  for (const g of data.head.groups) {
    if (!g.anchor || state.hidden.has(g.label)) continue;
    const spread = data.spread.get(g.label) ?? 0, small = 2 * spread * stage.view.k < 150; // above a small group, in a large one
    const x = stage.view.x + stage.view.k * g.anchor[0];
    const y = Math.max(14, stage.view.y - stage.view.k * (g.anchor[1] + (small ? spread : 0)) - (small ? stage.radius() + 16 : 0));
    const short = g.name.length > 26 ? `${g.name.slice(0, 25)}…` : g.name;
    const sign = g.unstable ? `${g.number}?` : String(g.number); // an unstable group
    for (const text of named && short !== `group ${g.number}` ? [`${sign}  \u2068${short}\u2069`, sign] : [sign]) {
      const half = pen.measureText(text).width / 2 + 8, spot = [x - half, y - 11, x + half, y + 11];
      const crowded = taken.some((b) => spot[0] < b[2] && b[0] < spot[2] && spot[1] < b[3] && b[1] < spot[3]);
      if ((crowded || spot[0] < 2 || spot[2] > stage.width - 2) && text !== sign) continue;
      taken.push(spot);
      pen.globalAlpha = 0.92; pen.fillStyle = sheet; pen.beginPath(); pen.roundRect(spot[0], spot[1], 2 * half, 22, 11); pen.fill();
      pen.globalAlpha = 1; pen.lineWidth = 1.5; pen.strokeStyle = styleOf(g.label).edge; pen.stroke();
      pen.fillStyle = ink; pen.fillText(text, x, y + 0.5);
      break;
    }
  }
}
