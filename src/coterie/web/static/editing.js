// @ts-check
// Edits from any page of groups: one call that keeps them, dialogs that ask for the rest, and sentences that survive a reload.
import { get, post, say, make, Refused } from "./base.js";
import { memberLine } from "./memberline.js";

/**
 * @typedef {{number: number, name: string, size: number, share: number, confidence: number, locked: boolean, made: boolean, changed: number}} Group
 * @typedef {{run: string, said: string, lines: number, edits: number, undo: string, members: number, moved: number, alone: number, since: string, groups: Group[]}} State
 * @typedef {{kind: string, groups?: number[], members?: number[], name?: string}} Edit
 * @typedef {{at: number, id: string, title: string, line: string, picture: string, sound: string, confidence: number, group: number, elsewhere: number}} Member
 */

export const run = decodeURIComponent(location.pathname.split("/")[2] ?? "");
export const api = `/api/runs/${encodeURIComponent(run)}`;

/** @param {number} share */
export const percent = (share) => `${Math.round(100 * share)}%`;
/** @param {number} n @param {string} noun */
export const many = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
/** @param {Group} group */
export const title = (group) => (group.number ? `${group.number} · ${group.name}` : group.name);
/** A name in a sentence. @param {string} name */
export const quoted = (name) => `“${name.length > 60 ? `${name.slice(0, 59).trimEnd()}…` : name}”`;
/** @param {Group} group */
const named = (group) => (group.name === `group ${group.number}` ? group.name : `group ${group.number}, ${quoted(group.name)}`);
/** @param {number} n members @param {string} [only] what the only one is called */
const these = (n, only) => (n === 1 && only ? quoted(only) : many(n, "member"));

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
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLSelectElement) || unfolded(event.target)) return;
    event.preventDefault();
    if (!go.disabled) /** @type {HTMLFormElement} */ (form).requestSubmit(go);
  });
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  const first = /** @type {HTMLElement | null} */ (form.querySelector("select, input"));
  first?.focus();
  if (first instanceof HTMLInputElement) first.select();
  return { box, go };
}

/** Whether the list of a select is open, where Enter takes what is marked in it. @param {HTMLSelectElement} select */
const unfolded = (select) => CSS.supports("selector(:open)") && select.matches(":open");

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
  ask(`Rename ${named(group)}`, [field("Name", input)], "Rename", () => edit({ kind: "rename", groups: [group.number], name: input.value }), done);
}

/** @param {Group} group @param {Group[]} groups @param {(state: State) => void} done */
export function askMerge(group, groups, done) {
  const others = groups.filter((one) => one.number !== group.number && one.number > 0);
  const into = chooser(others);
  const words = make("p", { class: "said", "aria-live": "polite" });
  const told = () => {
    const other = others.find((one) => one.number === Number(into.value));
    words.textContent = other ? `${many(group.size, "member")} of ${quoted(group.name)} join${group.size === 1 ? "s" : ""} ${quoted(other.name)}, which keeps its name; ${quoted(group.name)} is gone then.` : "";
  };
  into.addEventListener("change", told);
  told();
  ask(`Merge ${named(group)} into another`, [words, field("Into", into)], "Merge",
    () => edit({ kind: "merge", groups: [Number(into.value), group.number] }), done);
}

/** @param {number[]} members @param {Group[]} groups @param {number} from @param {(state: State) => void} done @param {number} [likely] the group offered first @param {string} [only] what the only one is called */
export function askMove(members, groups, from, done, likely = 0, only = "") {
  const into = chooser(groups.filter((one) => one.number > 0 && one.number !== from), from !== 0);
  if (likely && likely !== from) into.value = String(likely);
  if (into.selectedIndex < 0) into.selectedIndex = 0;
  ask(`Move ${these(members.length, only)}`, [field("Into", into)], "Move", () => edit({ kind: "move", groups: [Number(into.value)], members }), done);
}

/** @param {number[]} members @param {Group[]} groups @param {(state: State) => void} done @param {string} [only] what the only one is called */
export function askLabel(members, groups, done, only = "") {
  const known = make("datalist", { id: "names-known" }, ...groups.filter((one) => one.number).map((one) => make("option", { value: one.name })));
  const input = /** @type {HTMLInputElement} */ (make("input", { type: "text", maxlength: "200", required: true, list: "names-known", autocomplete: "off" }));
  const who = members.length === 1 ? these(1, only) : `these ${many(members.length, "member")}`;
  ask(`Say what ${who} ${members.length === 1 ? "is" : "are"}`, [field("Label", input, `${who[0].toUpperCase()}${who.slice(1)} will join the group of that name; where there is none, a group of that name is made.`), known], "Label",
    () => edit({ kind: "label", members, name: input.value }), done);
}

/** @param {string} words @param {{size: number, first: Member[]}} half */
const part = (words, half) => make("div", {}, make("h3", { class: "minor" }, `${words}: ${many(half.size, "member")}`),
  make("ul", { class: "half" }, ...half.first.map((one) => make("li", {}, memberLine(one)))));

/** @param {Group} group @param {(state: State) => void} done */
export function askSplit(group, done) {
  const place = make("div", { class: "halves", "aria-live": "polite" }, make("p", { class: "small" }, "Looking for the two parts that have least to do with each other…"));
  const input = /** @type {HTMLInputElement} */ (make("input", { type: "text", maxlength: "200", autocomplete: "off", placeholder: "left to coterie" }));
  const asking = ask(`Split ${named(group)}`, [place, field("Name of the new group", input)], "Split",
    () => edit({ kind: "split", groups: [group.number], name: input.value }), done);
  asking.go.disabled = true;
  patiently(() => get(`${api}/groups/${group.number}/halves`, undefined), () => asking.box.isConnected).then((/** @type {any} */ found) => {
    place.replaceChildren(part(`Stay in ${quoted(group.name)}`, found.stays), part(`Become group ${found.next}`, found.goes));
    if (!input.value) { input.value = found.proposed; if (document.activeElement === input) input.select(); }
    asking.go.disabled = false;
  }, (error) => { place.replaceChildren(make("p", { class: "problem" }, error.message)); });
}

/**
 * What can be done with a group, as buttons.
 * @param {Group} group @param {() => Group[]} groups @param {(state: State) => void} done
 */
export function acts(group, groups, done) {
  const what = `group ${group.number}, ${group.name}`;
  const name = quoted(group.name);
  /** @param {string} words @param {() => void} work @param {string | false} [off] why it cannot be done now */
  const button = (words, work, off = false) => make("button", { type: "button", class: "quiet", disabled: off !== false, title: off, "aria-label": `${words.replace("…", "")} ${what}`, click: work }, words);
  const lock = async () => { try { done(await edit({ kind: group.locked ? "unlock" : "lock", groups: [group.number] })); } catch (error) { say(/** @type {Error} */ (error).message, "error"); } };
  return [
    button("Rename", () => askRename(group, done)),
    button("Merge…", () => askMerge(group, groups(), done), groups().length < 2 && `There is no other group that ${name} could join`),
    button("Split…", () => askSplit(group, done), group.locked ? `${name} is locked; unlock it to split it` : group.size < 2 && `${name} has ${group.size ? "one member" : "no members"}, and a split needs two`),
    button(group.locked ? "Unlock" : "Lock", lock, !group.locked && !group.size && `${name} has no members that could be held`),
  ];
}
