// @ts-check
// A run that is not finished: its progress as it comes, pause, go on, delete; hidden tabs hold no stream open.

import { get, lost, make, one, post, say, tried } from "./base.js";
import { deleted } from "./deleting.js";

const HIDDEN = 5000, AGAIN = 2000; // milliseconds: between two looks of a hidden tab, before a lost stream is asked for again
const GONE = "The server does not answer. The run goes on by itself, and this page follows again as soon as it can.";
const place = /** @type {HTMLElement} */ (one("#live"));
const name = place.dataset.run ?? "";
const api = `/api/runs/${encodeURIComponent(name)}`;
const title = document.title;
let state = place.dataset.state ?? "";
/** @type {EventSource | null} */
let source = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {number} seconds */
const lasting = (seconds) => seconds < 100 ? `${Math.max(1, Math.round(seconds))} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
/** @param {string} id @param {string} text */
function put(id, text) { const part = document.getElementById(id); if (part && part.textContent !== text) part.textContent = text; }
/** @param {string} id @param {boolean} shown */
function reveal(id, shown) { const part = document.getElementById(id); if (part) part.hidden = !shown; }

/** @param {any} step */
function drawn(step) {
  const far = step.total ? `${step.done.toLocaleString("en")} of ${step.total.toLocaleString("en")}` : step.done ? step.done.toLocaleString("en") : "";
  const left = step.left !== null && step.seconds > 2 ? `about ${lasting(step.left)} left` : "";
  const bar = make("progress", { "aria-label": step.name, ...(step.total ? { max: String(step.total), value: String(Math.min(step.done, step.total)) } : {}) });
  const head = make("p", { class: "step-head" }, make("span", { class: "step-name" }, make("bdi", {}, step.name)), make("span", { class: "small" }, [far, left].filter(Boolean).join(", ")));
  return make("li", {}, head, bar);
}

/** @param {any} now */
function show(now) {
  state = place.dataset.state = now.state;
  put("word", now.word); put("headline", now.headline); put("sentence", now.sentence); put("problem", now.problem);
  const chip = one("#word");
  if (chip) chip.className = `status ${now.state}`;
  put("elapsed", now.elapsed ? `for ${lasting(now.elapsed)}` : "");
  reveal("problem", Boolean(now.problem)); reveal("pause", now.pause); reveal("resume", now.resume); reveal("changes", !now.going);
  put("resume", now.state === "new" ? "Begin" : now.state === "failed" ? "Try again" : "Go on");
  put("delete", now.going ? "Stop and delete" : "Delete");
  reveal("steps-sheet", now.state === "working" || now.state === "pausing");
  one("#steps")?.replaceChildren(...now.steps.map(drawn));
  reveal("no-steps", !now.steps.length);
  reveal("notes", now.notes.length > 0);
  one("#noted")?.replaceChildren(...now.notes.map((/** @type {string} */ note) => make("li", { dir: "auto" }, note)));
  const first = now.steps.find((/** @type {any} */ step) => step.total);
  document.title = first ? `${Math.floor((100 * first.done) / first.total)}% · ${title}` : now.going ? title : `${now.word} · ${title}`;
}

/** Pictures are made by the server's own chart; they are parsed as SVG and never as a page. @param {any[]} curves */
function draw(curves) {
  reveal("curves-sheet", curves.length > 0);
  one("#curves")?.replaceChildren(...curves.map((curve) => {
    const svg = new DOMParser().parseFromString(curve.svg, "image/svg+xml").documentElement;
    return make("figure", {}, make("h3", {}, make("bdi", {}, curve.name)), document.adoptNode(svg));
  }));
}

function ended() { leave(); location.reload(); }
function leave() { source?.close(); source = null; clearTimeout(timer); }

function follow() {
  leave();
  if (document.visibilityState === "hidden") { timer = setTimeout(glance, HIDDEN); return; }
  const stream = source = new EventSource(`${api}/events`);
  stream.addEventListener("standing", (event) => { show(JSON.parse(event.data)); });
  stream.addEventListener("curves", (event) => draw(JSON.parse(event.data)));
  stream.addEventListener("end", ended);
  stream.addEventListener("gone", () => { leave(); location.assign("/runs"); });
  stream.addEventListener("error", () => {
    timer = setTimeout(() => { if (source === stream && stream.readyState !== EventSource.OPEN) { lost(GONE); if (stream.readyState === EventSource.CLOSED) follow(); } }, AGAIN);
  });
}

async function glance() {
  try { const now = await get(`${api}/state`); if (now.state === "done") return ended(); show(now); } catch { /* the next look may see it */ }
  follow();
}
document.addEventListener("visibilitychange", follow);
window.addEventListener("pagehide", leave);
window.addEventListener("pageshow", (event) => { if (event.persisted) follow(); });

for (const deed of ["pause", "resume"]) {
  const button = document.getElementById(deed);
  button?.addEventListener("click", () => tried(button, async () => {
    show(await post(`${api}/${deed}`));
    const other = document.getElementById(state === "pausing" ? "delete" : deed === "pause" ? "resume" : "pause");
    if (button.hidden && other && !other.hidden) other.focus();
  }));
}
const gone = document.getElementById("delete");
gone?.addEventListener("click", () => tried(gone, async () => { if (await deleted(name)) { leave(); say("Deleted."); location.assign("/runs"); } }));
follow();
