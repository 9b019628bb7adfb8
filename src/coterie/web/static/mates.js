// @ts-check
// Mates: the question is sent without leaving the page; views can be turned around, and a member taken by chance.
import { all, one } from "./base.js";
import { swapping } from "./swap.js";

const form = /** @type {HTMLFormElement | null} */ (one("form.mates-form"));
const source = /** @type {HTMLSelectElement | null} */ (one('select[name="source"]'));
const target = /** @type {HTMLSelectElement | null} */ (one('select[name="target"]'));
const member = /** @type {HTMLInputElement | null} */ (one("#member"));
const turn = one("#turn");
const any = one("#any");
const { show, address } = swapping("#found", follow);

/** The form says what the address says, also after a link was followed. */
function follow() {
  const given = new URLSearchParams(location.search);
  for (const [name, field] of /** @type {[string, HTMLSelectElement | HTMLInputElement | null][]} */ ([["source", source], ["target", target], ["member", member]])) {
    const value = given.get(name);
    if (field && value !== null) field.value = value;
  }
  const by = one(`#by-${given.get("by") === "text" ? "text" : "member"}`);
  if (by instanceof HTMLInputElement && given.has("by")) by.checked = true;
}

/** Two different views: the other one goes where this one was. @param {HTMLSelectElement} mine @param {HTMLSelectElement} other @param {string} was */
function apart(mine, other, was) {
  if (mine.value === other.value) other.value = was;
}

if (form && source && target) {
  let had = [source.value, target.value];
  source.addEventListener("change", () => { apart(source, target, had[0]); had = [source.value, target.value]; });
  target.addEventListener("change", () => { apart(target, source, had[1]); had = [source.value, target.value]; });
  turn?.removeAttribute("hidden");
  turn?.addEventListener("click", () => {
    [source.value, target.value] = [target.value, source.value];
    had = [source.value, target.value];
    if (one("[data-first]")) show(address(form));
  });
  any?.removeAttribute("hidden");
  any?.addEventListener("click", () => {
    const ids = all("#ids option");
    const chosen = ids[Math.floor(Math.random() * ids.length)];
    if (!member || !chosen) return;
    member.value = chosen.getAttribute("value") ?? "";
    show(address(form), { focus: true });
  });
}
