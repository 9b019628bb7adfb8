// @ts-check
// The page of one group: its members chosen and moved, its name and the rest of it changed.
import { get, tried, all, one } from "./base.js";
import { acts, afterwards, api, askLabel, askMove, edit, many } from "./editing.js";

const place = one(".acts");
const number = Number(place?.dataset.group ?? 0);
/** @type {import("./editing.js").Group[]} */
let groups = [];

/** @param {import("./editing.js").State} state */
function done(state) {
  const here = !number || state.groups.some((group) => group.number === number);
  const list = location.pathname.split("/").slice(0, -1).join("/");
  afterwards(state.said, here ? undefined : list);
}

const boxes = () => /** @type {HTMLInputElement[]} */ (all("#members input[type=checkbox]"));
const chosen = () => boxes().filter((box) => box.checked).map((box) => Number(box.value));
const only = () => boxes().find((box) => box.checked)?.dataset.title ?? "";

function shown() {
  const n = chosen().length;
  const bar = one("#chosen");
  const words = one("#how-many");
  if (!bar || !words) return;
  bar.hidden = n === 0;
  words.textContent = n ? `${many(n, "member")} chosen` : "";
  for (const button of /** @type {HTMLButtonElement[]} */ (all("[data-do=together], [data-do=apart]"))) {
    button.disabled = n !== 2;
    button.title = n === 2 ? "" : "Choose exactly two members to say this of them";
  }
  const every = /** @type {HTMLInputElement | null} */ (one("#every"));
  if (every) { every.checked = n > 0 && n === boxes().length; every.indeterminate = n > 0 && n < boxes().length; }
}

one("#members")?.addEventListener("change", shown);
one("#every")?.addEventListener("change", (event) => {
  for (const box of boxes()) box.checked = /** @type {HTMLInputElement} */ (event.currentTarget).checked;
  shown();
});
one("#chosen")?.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest("[data-do]")) : null;
  const what = button?.dataset.do;
  const members = chosen();
  if (what === "move" || what === "label") tried(button, async () => {
    await known; // whoever is quick waits for the groups to choose from
    if (what === "move") askMove(members, groups, number, done, 0, only()); else askLabel(members, groups, done, only());
  });
  if (what === "together" || what === "apart") tried(button, async () => done(await edit({ kind: what, members })));
  if (what === "clear") { for (const box of boxes()) box.checked = false; shown(); one("#every")?.focus(); }
});

/** @type {Promise<unknown>} the groups of the run, being fetched */
let known = Promise.resolve();
if (!one("main aside.banner") && place) {
  known = tried(null, async () => {
    const state = await get(`${api}/groups`, undefined);
    groups = state.groups;
    const group = groups.find((some) => some.number === number);
    if (group) place.append(...acts(group, () => groups, done));
    shown();
  });
}
