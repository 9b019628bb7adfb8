// @ts-check
// The end of a session: the groups with their words and members, files to take along, and a run of its own.
import { make, post, say, tried } from "./base.js";
import { count, marker, patient, some } from "./words_parts.js";

/** @typedef {import("./words_parts.js").Where} Where */

/** The groups that were found. @param {{at: string, run: string, now: Where, tell: Function, button: Function, undo: () => Node | null, open: Function}} given */
export function found({ at, run, now, button, undo }) {
  const groups = now.names.map((name, i) => group(at, run, now, i + 1, name, now.sizes[i] ?? 0));
  if (now.unassigned) groups.push(group(at, run, now, 0, "In no group", now.unassigned));
  const own = make("button", { type: "button", class: "main", "data-key": "own run", click: (event) => tried(/** @type {HTMLElement} */ (event.currentTarget), async () => {
    const made = await post(`${at}/run`, { on: now.version });
    say("The run is being made.");
    location.assign(`/runs/${made.run}`);
  }) }, "Make it a run");
  return make("section", { class: "sheet" },
    make("div", { class: "sheet-head" }, make("h2", {}, "The groups"), make("p", {}, "A run of its own finds neighbors, a map and evidence for these groups; they are hints there, so that members without any of the words find a place too.")),
    make("div", { class: "w-found" }, ...groups),
    make("div", { class: "w-do" }, own,
      make("a", { class: "button plain", href: `${at}/groups.csv`, download: true }, "Groups as CSV"), make("a", { class: "button plain", href: `${at}/session.json`, download: true }, "Everything as JSON"),
      now.seeded ? button("Review the words again", { do: "reopen" }, "main plain") : null, undo()));
}

/** One group: how large it is, by which words, and its members when it is opened. @param {string} at @param {string} run @param {Where} now @param {number} number @param {string} name @param {number} size */
function group(at, run, now, number, name, size) {
  const words = number ? now.boards.flatMap((board) => (board.groups[number - 1] ?? []).slice(0, 14).map((word) => word.word)) : [];
  const share = make("i", {});
  share.style.width = `${(100 * size) / Math.max(now.members, 1)}%`;
  const list = make("div", {});
  let asked = false;
  const details = make("details", { toggle: () => { if (!asked && details.hasAttribute("open")) { asked = true; page(at, run, number, 1, list); } } }, make("summary", { "data-key": `members ${number}` }, number ? "Members, those with most of its words first" : "Members without any of the words"), list);
  return make("section", {},
    make("header", {}, number ? /** @type {any} */ (marker(number)) : make("span", {}), make("h3", {}, make("bdi", {}, name)), make("span", { class: "small" }, some(size, "member"))),
    make("span", { class: "w-share", "aria-hidden": "true" }, share),
    words.length ? make("p", { class: "telling" }, make("bdi", {}, words.join(", "))) : null, size ? details : null);
}

/** One page of members. @param {string} at @param {string} run @param {number} number @param {number} wanted @param {HTMLElement} list */
async function page(at, run, number, wanted, list) {
  list.setAttribute("aria-busy", "true");
  try {
    const got = await patient("GET", `${at}/members?group=${number}&page=${wanted}`);
    const rows = got.members.map((/** @type {any} */ one) => make("li", {}, make("b", {}, make("a", { href: `/runs/${run}/members/${one.at}` }, make("bdi", {}, one.id))), make("bdi", {}, one.text)));
    const turn = (/** @type {string} */ words, /** @type {number} */ to) => make("button", { type: "button", class: "quiet", disabled: to < 1 || to > got.pages, click: () => page(at, run, number, to, list) }, words);
    list.replaceChildren(make("ul", { class: "members" }, ...rows), got.pages > 1 ? make("p", { class: "pager" }, turn("Before", got.page - 1), make("span", { class: "small", role: "status" }, `Page ${count(got.page)} of ${count(got.pages)}`), turn("Next", got.page + 1)) : document.createTextNode(""));
  } catch (error) { say(error instanceof Error ? error.message : String(error), "error"); }
  list.removeAttribute("aria-busy");
}
