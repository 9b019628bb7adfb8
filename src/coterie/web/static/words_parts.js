// @ts-check
// Small parts of the page Words: markers of groups, the curve of coverage, requests that wait for what is being prepared.
import { call, make, Refused } from "./base.js";

/** @typedef {{word: string, members: number, new: boolean, given: boolean, here: number | null}} Word */
/** @typedef {{type: string, groups: Word[][], totals: number[]}} Board */
/** @typedef {{number: number, type: string, groups: number[], words: string[], total: number, to: number | null}} Tie */
/** @typedef {{going: boolean, waiting: boolean, stopping: boolean, back: boolean, task: string, done: number, total: number | null, problem: string}} Work */
/** @typedef {{version: string, status: string, members: number, k: number, names: string[], types: {name: string, chosen: boolean}[], iteration: number, most_iterations: number, sizes: number[], unassigned: number, covered: number, seeded: boolean, sentences: string[], boards: Board[], ties: Tie[], points: {iteration: number, covered: number, new: number}[], changed: string[], log: string[], undo: string, long_undo: boolean, work: Work}} Where */

const SVG = "http://www.w3.org/2000/svg";
export const count = (/** @type {number} */ n) => n.toLocaleString("en-US");
export const some = (/** @type {number} */ n, /** @type {string} */ noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
export const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/** The marker of a group, numbered from 1. @param {number} group @returns {Node} */
export function marker(group) {
  const all = /** @type {HTMLTemplateElement | null} */ (document.getElementById("markers"))?.content.children;
  return all && group > 0 ? all[(group - 1) % all.length].cloneNode(true) : document.createTextNode("");
}

/**
 * A request that is asked again while the server prepares something (409), for some minutes.
 * @param {string} method @param {string} path @param {unknown} [body] @param {() => void} [waiting]
 * @returns {Promise<any>}
 */
export async function patient(method, path, body, waiting) {
  for (let times = 0; ; times += 1) {
    try { return await call(method, path, body); } catch (error) {
      if (!(error instanceof Refused) || error.status !== 409 || times > 400) throw error;
      waiting?.();
      await pause(Math.min(400 + 100 * times, 1500));
    }
  }
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {(Node | string)[]} children */
export function svg(tag, attributes, ...children) {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, String(value));
  one.append(...children);
  return one;
}

/** How many members were in a group, by iteration. @param {Where} now */
export function curve(now) {
  const w = 320, h = 150, left = 8, right = 44, top = 16, bottom = 26;
  const points = [...(now.points.length < 12 ? [{ iteration: 0, covered: 0, new: 0 }] : []), ...now.points.slice(-12)];
  const x = (/** @type {number} */ at) => points.length < 2 ? (left + w - right) / 2 : left + 8 + (at / (points.length - 1)) * (w - left - right - 16);
  const y = (/** @type {number} */ n) => h - bottom - (n / Math.max(now.members, 1)) * (h - top - bottom);
  const said = now.points.map((point) => `iteration ${point.iteration}: ${count(point.covered)}`).join(", ");
  const picture = svg("svg", { viewBox: `0 0 ${w} ${h}`, class: "w-curve", role: "img", "aria-label": `Members in a group of ${count(now.members)}; ${said}` });
  picture.append(
    svg("line", { x1: left, x2: w - right, y1: y(0), y2: y(0), class: "axis" }),
    svg("line", { x1: left, x2: w - right, y1: y(now.members), y2: y(now.members), class: "top" }),
    svg("text", { x: w - right + 5, y: y(now.members) + 4 }, "all"),
    svg("text", { x: w - right + 5, y: y(0) + 4 }, "none"),
  );
  if (points.length > 1) picture.append(svg("polyline", { class: "run", points: points.map((point, at) => `${x(at)},${y(point.covered)}`).join(" ") }));
  points.forEach((point, at) => {
    if (!point.iteration) return;
    const high = y(point.covered) < top + 18;
    picture.append(
      svg("circle", { cx: x(at), cy: y(point.covered), r: 4.5 }),
      svg("text", { x: x(at), y: y(point.covered) + (high ? 20 : -10), "text-anchor": "middle" }, count(point.covered)),
      svg("text", { x: x(at), y: h - 8, "text-anchor": "middle" }, String(point.iteration)),
    );
  });
  return make("figure", {}, make("h3", { class: "w-label" }, "Members in a group, by iteration"), /** @type {any} */ (picture));
}

/** A dialog with these children; it closes with Escape and gives the focus back. @param {string} id @param {(Node | string)[]} children */
export function open(id, ...children) {
  const box = /** @type {HTMLDialogElement} */ (document.getElementById(id));
  box.replaceChildren(...children);
  if (!box.open) box.showModal();
  return box;
}
