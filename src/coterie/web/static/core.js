// @ts-check
// The page Core: ask for a core, follow the work, and move its size by hand; the ranking is there, nothing is computed anew.
import { call, get, make, one, post, Refused, say, tried } from "./base.js";
import { ask, edit, field, many } from "./editing.js";

/** @typedef {{rank: number, id: string, at: number, text: string, score: number | null, probability: number | null, again: number | null}} Member */
/** @typedef {{members: number, size: number, found: number, stands_out: boolean, verdict: string, sentences: string[], notes: string[], words: string[], curve: [number, number][], page: number, pages: number, rows: Member[], inside: Member[], outside: Member[]}} Core */

const SVG = "http://www.w3.org/2000/svg";
const form = /** @type {HTMLFormElement} */ (one("#ask")), root = /** @type {HTMLElement} */ (one("#core"));
const method = /** @type {HTMLSelectElement} */ (one("#method")), background = /** @type {HTMLSelectElement} */ (one("#background"));
const run = form.dataset.run ?? "", at = `/api/runs/${run}/core`;
const ABOUT = {
  ltb: "Each word of a member comes from the topic of the core or from the background; both are learned, and members ranked by how much better the topic explains them.",
  occc: "Words more frequent here than elsewhere are taken, and members ranked by what they hold of these.",
  kl: "Members are ranked by how much more frequent all their words are here than elsewhere.",
  "min-entropy": "Members are ranked by how frequent their words are among these members alone.",
  ocsvm: "A boundary is drawn around most members; those deepest inside come first.",
  ocib: "Members inside one ball of small divergence from their center come first.",
};
const count = (/** @type {number} */ n) => n.toLocaleString("en-US");
const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));
const asked = () => ({ method: method.value, background: background.value });
const query = (/** @type {object} */ more = {}) => new URLSearchParams({ ...asked(), .../** @type {Record<string, string>} */ (more) }).toString();
const told = (/** @type {string} */ sentence) => { const live = one("#live"); if (live) live.textContent = sentence; };
/** @param {string} tag @param {Record<string, string | number>} attributes */
const svg = (tag, attributes) => { const made = document.createElementNS(SVG, tag); for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value)); return made; };
let turn = 0; // whoever asked last draws

/** A request that is asked again while the server prepares something. @param {string} path @returns {Promise<any>} */
async function patient(path) {
  for (let times = 0; ; times += 1) {
    try { return await get(path, /** @type {any} */ (undefined)); } catch (error) {
      if (!(error instanceof Refused) || error.status !== 409 || times > 300) throw error;
      await pause(Math.min(400 + 100 * times, 1500));
    }
  }
}

/** Look whether this core is there, wait for it where it is on its way. */
async function look() {
  const mine = (turn += 1);
  const general = method.selectedOptions[0].dataset.general === "1";
  /** @type {HTMLElement} */ (one("#general")).hidden = !general;
  /** @type {HTMLElement} */ (one("#about")).textContent = ABOUT[/** @type {keyof typeof ABOUT} */ (method.value)] ?? "";
  let again = 0;
  for (;;) {
    const state = await get(`${at}/state?${query()}`, /** @type {any} */ (undefined));
    if (mine !== turn) return;
    /** @type {HTMLElement} */ (one("#find")).hidden = state.status === "done" || state.status === "working" || state.status === "waiting";
    if (state.status === "done") { await draw(mine); return; }
    if (state.status === "absent" && again === 0) { empty(); return; }
    if (state.status === "failed") { failed(state.problem); return; }
    if (state.status === "absent") { await post(at, asked()); again = 0; } // it came just as the work before ended
    else again += 1;
    working(state);
    await pause(600);
    if (mine !== turn) return;
  }
}

const empty = () => root.replaceChildren(make("section", { class: "sheet empty" }, make("strong", {}, "Not looked for this way yet"), make("p", {}, "It takes seconds for some thousand members; the core is then kept with the run.")));
const failed = (/** @type {string} */ why) => root.replaceChildren(make("section", { class: "sheet empty" }, make("strong", {}, "No core could be found this way"), make("p", {}, why)));

/** @param {{status: string, task: string, done: number, total: number | null}} state */
function working(state) {
  let place = one(".c-working", root);
  if (!place) {
    place = make("section", { class: "sheet c-working" }, make("strong", {}), make("progress", { "aria-label": "How far the work is" }), make("p", { class: "small" }, ""),
      make("p", {}, "You can leave this page; the work goes on."));
    root.replaceChildren(place);
    told("The core is being looked for.");
  }
  const bar = /** @type {HTMLProgressElement} */ (one("progress", place)), what = one("strong", place), how = one(".small", place);
  if (what) what.textContent = state.status === "waiting" ? "Waiting for other work to end" : "Looking for the core";
  if (how) how.textContent = state.task ? `${state.task}${state.total ? `: ${count(state.done)} of ${count(state.total)}` : ""}` : "";
  if (state.total) { bar.max = state.total; bar.value = state.done; } else bar.removeAttribute("value");
}

/** @param {number} mine */
async function draw(mine) {
  /** @type {Core} */ const core = await patient(`${at}?${query()}`);
  if (mine !== turn) return;
  /** @type {HTMLElement} */ (one("#headline")).textContent = core.verdict;
  one("#lead")?.replaceChildren(...core.sentences.slice(1).map((line) => make("li", {}, line)), ...core.notes.map((line) => make("li", { class: "small" }, line)));
  root.replaceChildren(sized(core));
  told(core.verdict);
}

/** The sheets of a core: its size under a slider, its words, and its members. @param {Core} core */
function sized(core) {
  let size = core.size, timer = 0, asking = 0;
  const n = core.members, picture = drawn(core);
  const slider = /** @type {HTMLInputElement} */ (make("input", { type: "range", class: "c-slider", id: "slider", min: "1", max: String(n), step: "1", value: String(size), "aria-label": "Members in the core" }));
  const number = /** @type {HTMLInputElement} */ (make("input", { type: "number", min: "1", max: String(n), value: String(size), "aria-label": "Members in the core, as a number" }));
  const output = make("output", { for: "slider" }), words = make("ul", { class: "chips c-words", "aria-label": "Telling words" });
  const found = make("button", { type: "button", class: "quiet", click: () => move(core.found) }, `As found: ${count(core.found)}`);
  const file = make("a", { class: "button plain", download: true }, "Download as CSV");
  const group = make("button", { type: "button", class: "quiet", click: () => asGroup(size, [...words.querySelectorAll("bdi")].map((word) => word.textContent ?? "")) }, "Make it a group…");
  const edges = make("div", { class: "c-edges" }), list = make("div", {});
  const show = async (page = 1) => {
    const mine = (asking += 1), here = { size: String(size) };
    words.setAttribute("aria-busy", "true");
    try {
      const got = await patient(`${at}?${query({ ...here, page: String(page) })}`);
      if (mine !== asking) return;
      edges.replaceChildren(edge("The last inside", got.inside), edge("The first outside", got.outside));
      list.replaceChildren(members(got.rows), pager(got, show));
      const telling = await patient(`${at}/words?${query(here)}`);
      if (mine !== asking) return;
      words.replaceChildren(...telling.words.map((/** @type {[string, number]} */ word) => make("li", { class: "chip" }, make("bdi", {}, word[0]))));
      if (!telling.words.length) words.replaceChildren(make("li", { class: "small" }, "No word tells a core of this size from the rest."));
    } catch (error) { say(error instanceof Error ? error.message : String(error), "error"); }
    words.removeAttribute("aria-busy");
  };
  const move = (/** @type {number} */ to, wait = 0) => {
    size = Math.min(Math.max(Math.round(to) || 1, 1), n);
    slider.value = String(size);
    if (document.activeElement !== number) number.value = String(size);
    const share = Math.round((100 * size) / n);
    output.textContent = `${count(size)} of ${count(n)} members, ${share < 1 ? "less than 1" : size < n && share > 99 ? "more than 99" : share}%`;
    slider.setAttribute("aria-valuetext", output.textContent);
    file.setAttribute("href", `${at}/core.csv?${query({ size: String(size) })}`);
    found.hidden = size === core.found;
    picture.cut(size);
    clearTimeout(timer);
    timer = window.setTimeout(show, wait);
  };
  slider.addEventListener("input", () => move(Number(slider.value), 140));
  number.addEventListener("input", () => { if (Number(number.value) >= 1) move(Number(number.value), 300); });
  number.addEventListener("change", () => { number.value = String(size); });
  move(size);
  const head = make("div", { class: "sheet-head" }, make("h2", {}, "How large is the core?"), make("p", {}, "Members from the surest to the least, by how much each is of the core. Move the edge to where the curve falls, or to where the members stop making sense."));
  return make("div", {},
    make("section", { class: "sheet c-size" }, head, make("div", { class: "c-line" }, output, found, make("label", { class: "push" }, "Members ", number)), picture.place, slider,
      make("div", { class: "c-ends" }, make("span", {}, "most of the core"), make("span", {}, "least")), make("h3", {}, "What tells it from the rest"), words),
    make("section", { class: "sheet" }, make("div", { class: "sheet-head" }, make("h2", {}, "At the edge")), edges),
    make("section", { class: "sheet" }, make("div", { class: "sheet-head c-line" }, make("h2", {}, "Members of the core"), make("span", { class: "push c-line" }, group, file)), list));
}

/** Ask for a name, and make the core at this size a group of the run. @param {number} size @param {string[]} words */
function asGroup(size, words) {
  const name = /** @type {HTMLInputElement} */ (make("input", { type: "text", maxlength: "200", required: true, autocomplete: "off", value: words.slice(0, 3).join(", ") || "core" }));
  ask("Make the core a group", [make("p", { class: "said" }, `${many(size, "member")} leave their groups for this one. It can be undone on the page Steer.`), field("Name", name)], "Make it a group",
    async () => edit({ kind: "label", members: (await patient(`${at}/places?${query({ size: String(size) })}`)).members, name: name.value }),
    (state) => {
      const made = state.groups.find((one) => one.name.toLowerCase() === name.value.trim().toLowerCase());
      location.assign(`/runs/${encodeURIComponent(run)}/groups${made ? `/${made.number}` : ""}`);
    });
}

/** The curve of the scores with the edge of the core. @param {Core} core */
function drawn(core) {
  const w = 1000, h = 190, n = core.members, scores = core.curve.map((point) => point[1]);
  const sorted = [...scores].sort((one, other) => one - other), part = (/** @type {number} */ share) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const low = Math.min(part(0.02), 0), high = Math.max(part(0.98), low + 1e-9); // a few extreme ones do not flatten the rest
  const x = (/** @type {number} */ rank) => n < 2 ? w / 2 : ((rank - 1) / (n - 1)) * w, y = (/** @type {number} */ score) => 12 + ((high - Math.min(Math.max(score, low), high)) / (high - low)) * (h - 24);
  const inside = svg("rect", { class: "in", x: 0, y: 0, height: h, width: 0 }), cut = svg("line", { class: "cut", y1: 0, y2: h });
  const place = make("div", { class: "c-picture" }), picture = svg("svg", { class: "c-curve", viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: "none", role: "img", "aria-label": `How much each of the ${count(n)} members is of the core, by rank; the edge that was found is at ${count(core.found)}` });
  picture.append(inside, svg("line", { class: "axis", x1: 0, x2: w, y1: y(0), y2: y(0) }), svg("line", { class: "found", x1: x(core.found + 0.5), x2: x(core.found + 0.5), y1: 0, y2: h }),
    svg("polyline", { class: "run", points: core.curve.map(([rank, score]) => `${x(rank).toFixed(1)},${y(score).toFixed(1)}`).join(" ") }), cut);
  place.append(picture);
  return { place, cut: (/** @type {number} */ size) => { const edge = size >= n ? w : x(size + 0.5); inside.setAttribute("width", String(edge)); cut.setAttribute("x1", String(edge)); cut.setAttribute("x2", String(edge)); } };
}

/** @param {Member[]} rows */
const members = (rows) => make("ul", { class: "members" }, ...rows.map((row) => make("li", {}, make("a", { class: "who", href: `/runs/${run}/members/${row.at}` }, make("bdi", {}, row.id)), make("bdi", {}, row.text), make("span", { class: "marks" }, marks(row)))));
/** @param {Member} row */
const marks = (row) => [`number ${count(row.rank)}`, row.score === null ? "no score" : `score ${Number(row.score.toPrecision(3)).toLocaleString("en-US")}`,
  row.probability === null ? "" : `probability ${row.probability > 0.999 ? "above 0.999" : row.probability < 0.001 ? "below 0.001" : row.probability.toFixed(3)}`, row.again === null ? "" : `found again ${Math.round(100 * row.again)}%`].filter(Boolean).join(" · ");
/** @param {string} title @param {Member[]} rows */
const edge = (title, rows) => make("section", {}, make("h3", {}, title), rows.length ? members(rows) : make("p", { class: "small" }, "Nobody."));
/** @param {Core} got @param {(page: number) => void} show */
const pager = (got, show) => {
  const to = (/** @type {string} */ words, /** @type {number} */ page) => make("button", { type: "button", class: "quiet", disabled: page < 1 || page > got.pages, click: () => show(page) }, words);
  return got.pages < 2 ? document.createTextNode("") : make("p", { class: "pager" }, to("Before", got.page - 1), make("span", { class: "small", role: "status" }, `Page ${count(got.page)} of ${count(got.pages)}`), to("Next", got.page + 1));
};

const looked = () => look().catch((error) => say(error instanceof Error ? error.message : String(error), "error"));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  tried(one("#find"), async () => { await call("POST", at, asked()); await look(); });
});
method.addEventListener("change", looked);
background.addEventListener("change", looked);
looked();
