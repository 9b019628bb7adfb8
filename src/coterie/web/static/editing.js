// @ts-check
// Edits from any page of groups: one call that keeps them, dialogs that ask for the rest, and sentences that survive a reload.
import { get, post, say, make, Refused } from "./base.js";

/**
 * @typedef {{number: number, name: string, size: number, share: number, confidence: number, locked: boolean, made: boolean, changed: number}} Group
 * @typedef {{run: string, said: string, lines: number, edits: number, undo: string, members: number, moved: number, alone: number, groups: Group[]}} State
 * @typedef {{kind: string, groups?: number[], members?: number[], name?: string}} Edit
 * @typedef {{at: number, id: string, line: string, confidence: number, group: number, elsewhere: number}} Member
 */

export const run = decodeURIComponent(location.pathname.split("/")[2] ?? "");
export const api = `/api/runs/${encodeURIComponent(run)}`;

/** @param {number} share */
export const percent = (share) => `${Math.round(100 * share)}%`;
/** @param {number} n @param {string} noun */
export const many = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
/** @param {Group} group */
export const title = (group) => (group.number ? `${group.number} · ${group.name}` : group.name);

/** Keep one edit; says what was done. @param {Edit} asked @returns {Promise<State>} */
export async function edit(asked) {
  return patiently(() => post(`${api}/edits`, asked));
}

/** @param {number} seen lines of the log that this page knows @returns {Promise<State>} */
export const undo = (seen) => post(`${api}/undo`, { seen });

/** Wait for what is being prepared. @template T @param {() => Promise<T>} work @param {() => boolean} [go] @returns {Promise<T>} */
export async function patiently(work, go = () => true) {
  for (let times = 0; ; times += 1) {
    try { return await work(); } catch (error) {
      const soon = error instanceof Refused && error.status === 409 && error.message.includes("being prepared");
      if (!soon || !go() || times > 600) throw error;
      await new Promise((done) => setTimeout(done, 700));
    }
  }
}

const LATER = "coterie-said";
/** Load the page again and say this then. @param {string} sentence @param {string} [path] */
export function afterwards(sentence, path) {
  try { sessionStorage.setItem(LATER, sentence); } catch { /* then it is not said */ }
  if (path) location.assign(path); else location.reload();
}
try {
  const waiting = sessionStorage.getItem(LATER);
  if (waiting) { sessionStorage.removeItem(LATER); setTimeout(() => say(`${waiting}.`), 60); }
} catch { /* kept nowhere */ }

/**
 * A dialog that asks; it closes when `work` is done, and what that gave goes to `done`. What was refused is said in it.
 * @param {string} words the title @param {(Node | string)[]} parts @param {string} action @param {() => Promise<State>} work @param {(state: State) => void} done
 */
export function ask(words, parts, action, work, done) {
  const problem = make("p", { class: "problem", role: "alert" });
  const go = /** @type {HTMLButtonElement} */ (make("button", { type: "submit", class: "main" }, action));
  const form = make("form", { class: "asking" }, make("h2", { id: "asking-title" }, words), ...parts, problem,
    make("p", { class: "tools" }, go, make("button", { type: "button", class: "quiet", click: () => box.close() }, "Cancel")));
  const box = /** @type {HTMLDialogElement} */ (make("dialog", { class: "sheet dialog", "aria-labelledby": "asking-title" }, form));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    problem.textContent = "";
    try { const state = await work(); box.close(); done(state); } catch (error) { problem.textContent = error instanceof Error ? error.message : String(error); } finally { go.disabled = false; }
  });
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  const first = /** @type {HTMLElement | null} */ (form.querySelector("select, input"));
  first?.focus();
  if (first instanceof HTMLInputElement) first.select();
  return { box, go };
}

/** @param {string} label @param {HTMLElement} input @param {string} [hint] */
export function field(label, input, hint) {
  const id = `asked-${label.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  input.id = id;
  return make("div", { class: "field" }, make("label", { for: id }, label), input, hint ? make("p", { class: "hint" }, hint) : null);
}

/** @param {Group[]} groups @param {boolean} nobody whether "no group" is offered */
function chooser(groups, nobody = false) {
  const list = groups.map((group) => make("option", { value: String(group.number) }, `${title(group)} (${group.size.toLocaleString("en")})`));
  return /** @type {HTMLSelectElement} */ (make("select", {}, ...list, nobody ? make("option", { value: "0" }, "No group") : null));
}

/** @param {Group} group @param {(state: State) => void} done */
export function askRename(group, done) {
  const input = /** @type {HTMLInputElement} */ (make("input", { type: "text", maxlength: "200", required: true, value: group.name, autocomplete: "off" }));
  ask(`Rename group ${group.number}`, [field("Name", input)], "Rename", () => edit({ kind: "rename", groups: [group.number], name: input.value }), done);
}

/** @param {Group} group @param {Group[]} groups @param {(state: State) => void} done */
export function askMerge(group, groups, done) {
  const others = groups.filter((one) => one.number !== group.number && one.number > 0);
  const into = chooser(others);
  ask(`Merge group ${group.number} into another`, [make("p", { class: "said" }, `${many(group.size, "member")} of “${group.name}” join it, and it keeps its name.`), field("Into", into)], "Merge",
    () => edit({ kind: "merge", groups: [Number(into.value), group.number] }), done);
}

/** @param {number[]} members @param {Group[]} groups @param {number} from @param {(state: State) => void} done @param {number} [likely] the group offered first */
export function askMove(members, groups, from, done, likely = 0) {
  const into = chooser(groups.filter((one) => one.number > 0 && one.number !== from), from !== 0);
  if (likely && likely !== from) into.value = String(likely);
  if (into.selectedIndex < 0) into.selectedIndex = 0;
  ask(`Move ${many(members.length, "member")}`, [field("Into", into)], "Move", () => edit({ kind: "move", groups: [Number(into.value)], members }), done);
}

/** @param {number[]} members @param {Group[]} groups @param {(state: State) => void} done */
export function askLabel(members, groups, done) {
  const known = make("datalist", { id: "names-known" }, ...groups.filter((one) => one.number).map((one) => make("option", { value: one.name })));
  const input = /** @type {HTMLInputElement} */ (make("input", { type: "text", maxlength: "200", required: true, list: "names-known", autocomplete: "off" }));
  ask(`Say what ${members.length === 1 ? "this member is" : `these ${many(members.length, "member")} are`}`, [field("Label", input, "They join the group of that name; where there is none, it is made."), known], "Label",
    () => edit({ kind: "label", members, name: input.value }), done);
}

/** @param {string} words @param {{size: number, first: Member[]}} half */
const part = (words, half) => make("div", {}, make("h3", { class: "minor" }, `${words}: ${many(half.size, "member")}`),
  make("ul", { class: "half" }, ...half.first.map((one) => make("li", {}, make("b", {}, one.id), make("span", { class: "line" }, one.line)))));

/** @param {Group} group @param {(state: State) => void} done */
export function askSplit(group, done) {
  const place = make("div", { class: "halves", "aria-live": "polite" }, make("p", { class: "small" }, "Looking for the two parts that have least to do with each other…"));
  const input = /** @type {HTMLInputElement} */ (make("input", { type: "text", maxlength: "200", autocomplete: "off", placeholder: "left to coterie" }));
  const asking = ask(`Split group ${group.number}`, [place, field("Name of the new group", input)], "Split",
    () => edit({ kind: "split", groups: [group.number], name: input.value }), done);
  asking.go.disabled = true;
  patiently(() => get(`${api}/groups/${group.number}/halves`, undefined), () => asking.box.isConnected).then((/** @type {any} */ found) => {
    place.replaceChildren(part("Stay", found.stays), part(`Become group ${found.next}`, found.goes));
    asking.go.disabled = false;
  }, (error) => { place.replaceChildren(make("p", { class: "problem" }, error.message)); });
}

/**
 * What can be done with a group, as buttons.
 * @param {Group} group @param {() => Group[]} groups @param {(state: State) => void} done
 */
export function acts(group, groups, done) {
  const what = `group ${group.number}, ${group.name}`;
  /** @param {string} words @param {() => void} work @param {boolean} [off] */
  const button = (words, work, off = false) => make("button", { type: "button", class: "quiet", disabled: off, "aria-label": `${words.replace("…", "")} ${what}`, click: work }, words);
  const lock = async () => { try { done(await edit({ kind: "lock", groups: [group.number] })); } catch (error) { say(/** @type {Error} */ (error).message, "error"); } };
  return [
    button("Rename", () => askRename(group, done)),
    button("Merge…", () => askMerge(group, groups(), done), groups().length < 2),
    button("Split…", () => askSplit(group, done), group.locked || group.size < 2),
    button("Lock", lock, group.locked || !group.size),
  ];
}
