// @ts-check
// The page of exports: the files' addresses follow what was chosen.

import { one } from "./base.js";
import "./copying.js";

const form = one("#labels");
const which = /** @type {HTMLSelectElement | null} */ (one("#which"));
const more = /** @type {HTMLInputElement | null} */ (one("#more"));

function follow() {
  const asked = new URLSearchParams();
  if (which?.value) asked.set("group", which.value);
  if (more?.checked) asked.set("more", "true");
  const query = asked.size ? `?${asked}` : "";
  for (const kind of ["csv", "parquet"]) one(`#${kind}`)?.setAttribute("href", `/runs/${form?.dataset.run}/export/labels.${kind}${query}`);
}
form?.addEventListener("change", follow);
form?.addEventListener("submit", (event) => event.preventDefault());
follow();
