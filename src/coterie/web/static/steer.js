// @ts-check
// The page to steer on: groups side by side, members chosen by mouse or keyboard and moved, and what others do followed.
import { get, tried, say, make, all, one } from "./base.js";
import { acts, api, askLabel, askMove, edit, many, run, undo } from "./editing.js";
import { memberLine } from "./memberline.js";
import { play } from "./playing.js";
import { follow, marker, tell } from "./steer_said.js";

/**
 * @typedef {import("./editing.js").Group & {found: number, first: import("./editing.js").Member[]}} Column
 * @typedef {import("./editing.js").State} State
 */
const FEW = 8, MORE = 40;
const board = /** @type {HTMLElement} */ (one("#board"));
const find = /** @type {HTMLInputElement} */ (one("#find"));
const order = /** @type {HTMLSelectElement} */ (one("#order"));
const undoing = /** @type {HTMLButtonElement} */ (one("#undo"));
/** @type {Column[]} */
let columns = [];
/** @type {Map<number, import("./editing.js").Member>} */
const chosen = new Map();
/** @type {Map<number, number>} members shown of groups that were opened further */
const opened = new Map();
let lines = -1;
let dragged = "";

// ---- what is seen ------------------------------------------------------------------------------------------------

async function load() {
  const asked = `order=${order.value}&find=${encodeURIComponent(find.value)}`;
  const found = await get(`${api}/board?${asked}&most=${FEW}`, undefined);
  await Promise.all(found.columns.map(async (/** @type {Column} */ column) => {
    const most = opened.get(column.number);
    if (most && column.found > FEW) column.first = (await get(`${api}/groups/${column.number}/members?${asked}&size=${Math.min(most, 500)}`, undefined)).members;
  }));
  const state = await get(`${api}/edits`, undefined);
  columns = found.columns;
  lines = state.lines;
  draw();
  undoing.disabled = !state.undo;
  undoing.title = state.undo || "Nothing was changed yet";
  undoing.setAttribute("aria-label", state.undo ? `Undo: ${state.undo}` : "Undo");
  tell(state);
}

function draw() {
  const focused = document.activeElement instanceof HTMLElement && board.contains(document.activeElement) ? document.activeElement : null;
  const group = focused?.closest("[data-group]")?.getAttribute("data-group") ?? "";
  const place = focused?.dataset.at ? all("[data-at]", focused.parentElement ?? board).indexOf(focused) : -1;
  board.replaceChildren(...columns.map(drawn));
  board.removeAttribute("aria-busy");
  marked();
  if (!focused) return;
  const near = all(`[data-group="${group}"] [data-at]`, board);
  const same = place < 0 ? all(`[data-group="${group}"] button`, board).find((button) => button.textContent === focused.textContent) : one(`[data-at="${focused.dataset.at}"]`, board);
  focus(same ?? near[Math.min(Math.max(place, 0), near.length - 1)] ?? one("[data-at]", board) ?? undefined);
}

/** @param {Column} column */
function drawn(column) {
  const id = `column-${column.number}`;
  const head = make("header", { draggable: column.number ? "true" : false, title: column.number ? "Drag onto another group to merge" : "" }, marker(column.number - 1),
    make("h3", { id }, column.number ? make("span", { class: "letter" }, String(column.number)) : null, " ", column.number ? make("a", { href: `/runs/${run}/groups/${column.number}`, draggable: "false" }, make("bdi", {}, column.name)) : column.name),
    make("span", { class: "n" }, column.size.toLocaleString("en")));
  head.addEventListener("dragstart", (event) => lift(event, `group ${column.number}`));
  const list = make("ul", { role: "listbox", "aria-multiselectable": "true", "aria-labelledby": id, class: "hold" }, ...column.first.map((one, at) => option(one, at === 0)));
  const nothing = column.first.length ? null : make("p", { class: "small nobody" }, find.value ? "Nobody here fits that." : "Nobody is here; drop members in.");
  const left = column.found - column.first.length;
  const more = left > 0 ? make("button", { type: "button", class: "more", "aria-label": `Show more of ${column.name}`, click: (event) => further(event, column) }, `${many(left, "more member")}…`) : null;
  const doing = column.number ? make("div", { class: "acts" }, column.locked ? make("span", { class: "status" }, "locked") : null, ...acts(column, () => columns.filter((one) => one.number), done)) : null;
  const box = make("section", { class: "column", "data-group": String(column.number), "aria-labelledby": id }, head, column.first.length ? list : nothing, more, doing);
  box.addEventListener("dragover", (event) => { if (dragged && dragged !== `group ${column.number}`) { event.preventDefault(); box.classList.add("over"); } });
  box.addEventListener("dragleave", (event) => { if (!(event.relatedTarget instanceof Node && box.contains(event.relatedTarget))) box.classList.remove("over"); });
  box.addEventListener("drop", (event) => { event.preventDefault(); box.classList.remove("over"); dropped(column.number); });
  return box;
}

/** @param {import("./editing.js").Member} member @param {boolean} first */
function option(member, first) {
  const item = make("li", { role: "option", "data-at": String(member.at), tabindex: first ? "0" : "-1", draggable: "true", "aria-selected": "false" }, memberLine(member, true));
  item.addEventListener("click", () => { choose(member); item.focus(); });
  item.addEventListener("dblclick", () => { location.href = `/runs/${run}/members/${member.at}`; });
  item.addEventListener("dragstart", (event) => {
    if (!chosen.has(member.at)) { chosen.clear(); chosen.set(member.at, member); marked(); }
    lift(event, "members");
  });
  return item;
}

function marked() {
  for (const item of all("[data-at]", board)) item.setAttribute("aria-selected", String(chosen.has(Number(item.dataset.at))));
  const n = chosen.size;
  const bar = one("#chosen"), words = one("#how-many"), open = /** @type {HTMLAnchorElement | null} */ (one("#open"));
  if (!bar || !words || !open) return;
  bar.hidden = n === 0;
  /** @type {HTMLElement} */ (one("#looking")).hidden = n > 0;
  words.textContent = n === 1 ? [...chosen.values()][0].title.slice(0, 40) : n ? `${many(n, "member")} chosen` : "";
  open.hidden = n !== 1;
  if (n === 1) open.href = `/runs/${run}/members/${[...chosen.keys()][0]}`;
  for (const button of /** @type {HTMLButtonElement[]} */ (all("[data-do=together], [data-do=apart]"))) {
    button.disabled = n !== 2;
    button.title = n === 2 ? "" : "Choose exactly two members to say this of them";
  }
}

/** @param {import("./editing.js").Member} member */
function choose(member) {
  if (chosen.has(member.at)) chosen.delete(member.at); else chosen.set(member.at, member);
  marked();
}

/** @param {Event} event @param {Column} column */
function further(event, column) {
  opened.set(column.number, Math.min(500, (opened.get(column.number) ?? FEW) + MORE));
  tried(/** @type {HTMLElement} */ (event.currentTarget), load);
}

// ---- what is done ------------------------------------------------------------------------------------------------

/** @param {State} state */
async function done(state) {
  say(`${state.said}.`);
  chosen.clear();
  await load();
}

/** @param {DragEvent} event @param {string} what */
function lift(event, what) {
  dragged = what;
  event.dataTransfer?.setData("text/plain", what);
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
}
document.addEventListener("dragend", () => { dragged = ""; for (const box of all(".over", board)) box.classList.remove("over"); });

/** @param {number} number */
function dropped(number) {
  const from = dragged.startsWith("group ") ? Number(dragged.slice(6)) : null;
  dragged = "";
  if (from === number || (from !== null && !number)) return;
  if (from !== null) tried(null, async () => done(await edit({ kind: "merge", groups: [number, from] })));
  else if (chosen.size) tried(null, async () => done(await edit({ kind: "move", groups: [number], members: [...chosen.keys()] })));
}

/** @param {string} what */
function act(what) {
  const members = [...chosen.keys()];
  const own = new Set([...chosen.values()].map((one) => one.group));
  if (what === "clear") { chosen.clear(); marked(); return; }
  if (!members.length) { say("Choose a member first: click it, or press space on it."); return; }
  const only = [...chosen.values()][0].title;
  if (what === "move") askMove(members, columns, own.size === 1 ? [...own][0] : -1, done, [...chosen.values()].find((one) => one.elsewhere)?.elsewhere, only);
  if (what === "label") askLabel(members, columns, done, only);
  if (what === "together" || what === "apart") {
    if (members.length !== 2) { say(`Choose two members to say that they belong ${what}.`); return; }
    tried(null, async () => done(await edit({ kind: what, members })));
  }
}
one("#chosen")?.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-do]") : null;
  if (button) act(button.getAttribute("data-do") ?? "");
});
const back = () => { if (!undoing.disabled) tried(undoing, async () => done(await undo(lines))).then(() => { undoing.disabled = undoing.title === "Nothing was changed yet"; }); };
undoing.addEventListener("click", back);

board.addEventListener("keydown", (event) => {
  const item = event.target instanceof HTMLElement ? event.target : null;
  if (!item?.dataset.at || event.ctrlKey || event.metaKey || event.altKey) return;
  const list = all("[data-at]", item.parentElement ?? board), at = list.indexOf(item);
  const lists = all(".hold", board), here = lists.findIndex((one) => one.contains(item));
  const steps = { ArrowDown: list[at + 1], ArrowUp: list[at - 1], Home: list[0], End: list[list.length - 1] };
  const aside = { ArrowRight: 1, ArrowLeft: -1 };
  const keys = { m: "move", l: "label", t: "together", a: "apart", Escape: "clear" };
  const member = columns.flatMap((column) => column.first).find((one) => one.at === Number(item.dataset.at));
  if (event.key in steps) focus(/** @type {Record<string, HTMLElement | undefined>} */ (steps)[event.key]);
  else if (event.key in aside) { const next = all("[data-at]", lists[here + /** @type {Record<string, number>} */ (aside)[event.key]] ?? make("ul")); focus(next[Math.min(at, next.length - 1)]); }
  else if (event.key === " " && member) choose(member);
  else if (event.key === "Enter") location.href = `/runs/${run}/members/${item.dataset.at}`;
  else if (event.key === "u") back();
  else if (event.key === "p" && member?.sound) play(member.sound);
  else if (event.key in keys) { if (!chosen.size && member && (event.key === "m" || event.key === "l")) choose(member); act(/** @type {Record<string, string>} */ (keys)[event.key]); }
  else return;
  event.preventDefault();
});

/** @param {HTMLElement | undefined} item */
function focus(item) {
  if (!item) return;
  if (item.dataset.at) for (const other of all("[data-at]", item.parentElement ?? board)) other.tabIndex = other === item ? 0 : -1;
  item.focus();
}

// ---- beginning, and what others do -------------------------------------------------------------------------------

let typing = 0;
find.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => tried(null, load), 180); });
order.addEventListener("change", () => tried(null, load));
follow({ done, lines: () => lines, again: async () => { chosen.clear(); await load(); } });
tried(null, load);
