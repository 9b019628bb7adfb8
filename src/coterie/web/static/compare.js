// @ts-check
// Compare: two runs can be exchanged, a filter is used as soon as it is chosen, and what is being worked out is waited for.
import { all, one } from "./base.js";
import { swapping } from "./swap.js";

const { show } = swapping("#found");
const form = /** @type {HTMLFormElement | null} */ (one("form.compare-form"));
const turn = one("#turn");

if (form && turn) {
  const [first, second] = /** @type {HTMLSelectElement[]} */ (all("select", form));
  turn.removeAttribute("hidden");
  turn.addEventListener("click", () => {
    [first.value, second.value] = [second.value, first.value];
    if (first.value && second.value) form.requestSubmit();
  });
}
document.addEventListener("change", (event) => {
  const filter = event.target instanceof Element ? event.target.closest("form.filter") : null;
  if (!(filter instanceof HTMLFormElement)) return;
  const given = new URLSearchParams();
  for (const [name, value] of new FormData(filter)) if (typeof value === "string" && value) given.set(name, value);
  const top = scrollY;
  const chosen = event.target instanceof HTMLSelectElement ? event.target.name : "";
  show(`/compare?${given}`).then(() => { scrollTo({ top, behavior: "instant" }); one(`form.filter select[name="${chosen}"]`)?.focus({ preventScroll: true }); });
});
