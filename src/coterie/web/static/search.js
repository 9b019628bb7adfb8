// @ts-check
// Search: what was asked is looked for without leaving the page; a choice of the way asks again at once.
import { one } from "./base.js";
import { swapping } from "./swap.js";

const form = one("form.ask");
const field = /** @type {HTMLInputElement | null} */ (one("#q"));
const { show, address } = swapping("#found");

if (form instanceof HTMLFormElement) {
  form.addEventListener("change", (event) => {
    if (event.target !== field && field?.value.trim()) show(address(form));
  });
}
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (event.key === "/" && !typing && !event.metaKey && !event.ctrlKey && field) { event.preventDefault(); field.focus(); field.select(); }
});
