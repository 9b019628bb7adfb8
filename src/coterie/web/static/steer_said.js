// @ts-check
// Beside the board: the best next question, the new run, what changed since the run, the log, and edits of other visitors.
import { get, post, tried, say, make, one } from "./base.js";
import { api, many, patiently, percent, quoted, run } from "./editing.js";
import { called, face } from "./memberline.js";

/** @typedef {import("./editing.js").State & {log: {number: number, kind: string, sentence: string, back: boolean}[], changes: {number: number, name: string, before: number | null, now: number | null, sentence: string}[]}} Told */

const LOOK = 5000; // milliseconds between two looks at what others did
/** @type {Told | null} */
let told = null;

/** A group's marker. @param {number} label */
export function marker(label) {
  const kept = /** @type {HTMLTemplateElement | null} */ (document.getElementById("markers"))?.content.querySelector(`[data-label="${label}"] svg`);
  return kept ? kept.cloneNode(true) : document.createTextNode("");
}

/** Show what was said and what changed. @param {Told} state */
export function tell(state) {
  told = state;
  const learned = /** @type {HTMLElement} */ (one("#learned")), begin = /** @type {HTMLButtonElement} */ (one("#begin")), k = /** @type {HTMLInputElement} */ (one("#k"));
  begin.disabled = state.edits === 0;
  begin.title = state.edits ? "" : "Change something or answer a question first";
  learned.textContent = state.edits ? `A new run of the same members learns from your ${many(state.edits, "edit")}. This one stays as it is.` : "Change something or answer a question first; a new run of the same members then learns from it.";
  if (document.activeElement !== k) k.value = String(Math.max(1, state.groups.filter((group) => group.size > 0).length));
  const words = /** @type {HTMLElement} */ (one("#changed-words"));
  words.textContent = state.changes.length ? `${many(state.moved, "member")} of ${state.members.toLocaleString("en")} ${state.moved === 1 ? "is" : "are"} in another group than the one found.` : "Nothing yet: the groups are as the run found them.";
  const rows = state.changes.map((change) => make("tr", {}, make("th", { scope: "row" }, make("span", { class: "mark-name" }, marker(change.number - 1), make("span", {}, `${change.number} `, make("bdi", {}, change.name)))),
    make("td", { class: "n" }, change.before === null ? "–" : String(change.before)), make("td", { class: "n" }, change.now === null ? "–" : String(change.now)), make("td", {}, change.sentence)));
  const head = make("thead", {}, make("tr", {}, ...["Group", "Found", "Now", ""].map((name, at) => make(at === 3 ? "td" : "th", at === 3 ? {} : { scope: "col", class: at ? "n" : "" }, name))));
  one("#changes")?.replaceChildren(...(rows.length ? [make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Groups that changed" }, make("table", {}, head, make("tbody", {}, ...rows)))] : []));
  const lines = [...state.log].reverse().map((line) => make("li", { class: line.back ? "back" : "", value: String(line.number) }, make("bdi", {}, line.sentence), line.back ? make("span", { class: "small" }, " taken back") : null));
  one("#log")?.replaceChildren(...(lines.length ? lines : [make("li", { class: "none small" }, "Nothing yet.")]));
}

/** @param {{done: (state: import("./editing.js").State) => Promise<void>, lines: () => number, again: () => Promise<void>}} page */
export function follow(page) {
  one("#ask")?.addEventListener("click", (event) => question(page, /** @type {HTMLElement} */ (event.currentTarget)));
  one("#anew")?.addEventListener("submit", (event) => {
    event.preventDefault();
    tried(one("#begin"), async () => {
      const k = Number(/** @type {HTMLInputElement} */ (one("#k")).value), name = /** @type {HTMLInputElement} */ (one("#called")).value;
      const begun = await patiently(() => post(`${api}/refit`, { k, name }));
      location.assign(begun.address);
    });
  });
  setInterval(async () => {
    if (document.hidden || page.lines() < 0 || document.querySelector("dialog[open]")) return;
    try {
      const now = await get(`${api}/groups`, undefined);
      if (now.lines !== page.lines() && page.lines() >= 0) { await page.again(); say("The groups were changed elsewhere; this page follows."); }
    } catch { /* the next look may succeed */ }
  }, LOOK);
}

/** @param {Parameters<typeof follow>[0]} page @param {HTMLElement | null} button */
function question(page, button) {
  const place = /** @type {HTMLElement} */ (one("#question"));
  tried(button, async () => {
    place.setAttribute("aria-busy", "true");
    const waiting = make("p", { class: "small" }, "Looking for the best question…");
    place.append(waiting);
    /** @type {{members: Judged[], sentence: string, pays: boolean, gain: number}} */
    let found;
    try { found = await patiently(() => get(`${api}/question`, undefined)); } finally { waiting.remove(); place.removeAttribute("aria-busy"); }
    if (!found.members.length) { place.replaceChildren(make("p", { class: "said" }, found.sentence), make("p", { class: "tools" }, make("button", { type: "button", class: "quiet", click: (event) => question(page, /** @type {HTMLElement} */ (event.currentTarget)) }, "Look again"))); return; }
    const members = found.members.map((one) => one.at);
    /** @param {string} said @param {string} words @param {string} look */
    const answer = (said, words, look) => make("button", { type: "button", class: look, "data-said": said, click: (event) => tried(/** @type {HTMLElement} */ (event.currentTarget), async () => {
      const state = await post(`${api}/question`, { members, said });
      await page.done(state);
      question(page, null);
    }) }, words);
    place.replaceChildren(
      make("p", { class: "said" }, found.pays ? "Do these two belong together?" : "Little is left to ask; this pair would still tell most. Do these two belong together?"),
      make("div", { class: "pair-asked" }, ...found.members.map(card)),
      make("p", { class: "tools" }, answer("together", "Together", "main"), answer("apart", "Apart", "main"), answer("skip", "I do not know", "quiet")),
      make("p", { class: "small why-asked" }, found.sentence.replace(/^Do .*?\? /s, "")));
    one("[data-said]", place)?.focus();
  });
}

/** @typedef {import("./editing.js").Member & {text: string}} Judged */
/** @param {Judged} member */
function card(member) {
  const group = told?.groups.find((one) => one.number === member.group), text = member.text || member.line;
  const [name, ...id] = called(member);
  return make("div", { class: "asked-card" }, face(member), make("p", { class: "member" }, make("span", {}, make("a", { href: `/runs/${run}/members/${member.at}` }, name), ...id)), text ? make("div", { class: "judged", tabindex: "0", role: "region", "aria-label": `What ${quoted(member.title)} says` }, make("bdi", {}, text)) : null,
    make("p", { class: "small mark-name" }, marker(member.group - 1), make("span", {}, ...(group ? [make("bdi", {}, `${group.number} ${group.name}`), ` · ${percent(member.confidence)} sure`] : ["In no group"]))));
}
