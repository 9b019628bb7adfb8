// @ts-check
// The page of all groups: rename, merge, split and lock each of them, and undo.
import { get, tried, all, one, say } from "./base.js";
import { acts, afterwards, api, undo } from "./editing.js";

/** @type {import("./editing.js").State | null} */
let state = null;

/** @param {import("./editing.js").State} now */
function done(now) {
  if (!state || now.groups.length !== state.groups.length || now.moved !== state.moved) { afterwards(now.said); return; }
  for (const group of now.groups) {
    const name = one(`#group-${group.number} .group-name bdi`);
    if (name && name.textContent !== group.name) name.textContent = group.name;
  }
  if (now.groups.some((group, at) => group.locked !== state?.groups[at].locked)) { afterwards(now.said); return; }
  say(`${now.said}.`);
  settle(now);
}

/** @param {import("./editing.js").State} now */
function settle(now) {
  state = now;
  const button = /** @type {HTMLButtonElement | null} */ (one("#undo"));
  if (!button) return;
  for (const place of all(".acts")) {
    const group = now.groups.find((some) => some.number === Number(place.dataset.group));
    for (const old of all("button", place)) old.remove();
    if (group) place.append(...acts(group, () => state?.groups ?? [], done));
  }
  const since = one("#since");
  if (since && now.since) since.textContent = now.since;
  button.disabled = !now.undo;
  button.title = now.undo || "Nothing was changed yet";
  button.textContent = "Undo";
  button.setAttribute("aria-label", now.undo ? `Undo: ${now.undo}` : "Undo");
}

one("#undo")?.addEventListener("click", (event) => tried(/** @type {HTMLElement} */ (event.currentTarget), async () => afterwards((await undo(state?.lines ?? 0)).said)));
if (one(".acts") && one("#undo")) tried(null, async () => settle(await get(`${api}/groups`, undefined)));
