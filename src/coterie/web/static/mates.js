// @ts-check
// Mates: the question is sent without leaving the page; views can be turned around, and a member taken by chance.
import { all, one } from "./base.js";
import { swapping } from "./swap.js";

const form = /** @type {HTMLFormElement | null} */ (one("form.mates-form"));
const source = /** @type {HTMLSelectElement | null} */ (one('select[name="source"]'));
const target = /** @type {HTMLSelectElement | null} */ (one('select[name="target"]'));
const member = /** @type {HTMLInputElement | null} */ (one("#member"));
const text = /** @type {HTMLTextAreaElement | null} */ (one("#text"));
const turn = one("#turn");
const any = one("#any");
let followed = ""; // the address that the form says; what is typed while an answer is waited for stays
const { show, address } = swapping("#found", follow);

/** The form says what the address says, also after a link was followed. */
function follow() {
  if (location.search === followed) return;
  followed = location.search;
  const given = new URLSearchParams(location.search);
  for (const [name, field] of /** @type {[string, HTMLSelectElement | HTMLInputElement | null][]} */ ([["source", source], ["target", target], ["member", member]])) {
    const value = given.get(name);
    if (field && value !== null) field.value = value;
  }
  const by = one(`#by-${given.get("by") === "text" ? "text" : "member"}`);
  if (by instanceof HTMLInputElement && given.has("by")) by.checked = true;
}

/** What was typed goes along when a text is asked with instead of a member, or the other way round. @param {string} by */
function carry(by) {
  const typed = (by === "text" ? member : text)?.value.trim() ?? "", to = by === "text" ? text : member;
  const known = all("#ids option").some((id) => id.getAttribute("value") === typed);
  if (to && typed && !to.value.trim() && (by === "text" ? !known : typed.length <= 200 && !typed.includes("\n"))) to.value = typed;
}

/** Two different views: the other one goes where this one was. @param {HTMLSelectElement} mine @param {HTMLSelectElement} other @param {string} was */
function apart(mine, other, was) {
  if (mine.value === other.value) other.value = was;
}

if (form && source && target) {
  let had = [source.value, target.value];
  source.addEventListener("change", () => { apart(source, target, had[0]); had = [source.value, target.value]; });
  target.addEventListener("change", () => { apart(target, source, had[1]); had = [source.value, target.value]; });
  for (const way of all('input[name="by"]')) way.addEventListener("change", () => carry(/** @type {HTMLInputElement} */ (way).value));
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
