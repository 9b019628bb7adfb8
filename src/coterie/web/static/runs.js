// @ts-check
// The list of runs: found as one types, followed while some work, deleted after a question.

import { all, get, one, say, tried } from "./base.js";
import { deleted } from "./deleting.js";

const EVERY = 2500; // milliseconds between two looks while a run works
const GOING = ["waiting", "working", "pausing", "elsewhere"];
const field = /** @type {HTMLInputElement | null} */ (one("#find"));
const rows = () => all(".run");

function filter() {
  if (!field || !field.hasAttribute("data-whole")) return;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows()) {
    const text = (row.querySelector(".what")?.textContent + " " + row.querySelector(".status")?.textContent).toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    shown += row.hidden ? 0 : 1;
  }
  const none = one("#none");
  if (none) none.hidden = shown > 0;
}
field?.addEventListener("input", filter);
field?.form?.addEventListener("submit", (event) => { if (field.hasAttribute("data-whole")) event.preventDefault(); });

for (const button of all("[data-delete]")) {
  button.addEventListener("click", () => tried(button, async () => {
    const name = button.dataset.delete ?? "";
    const row = button.closest(".run");
    const next = /** @type {HTMLElement | null} */ ((row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector("a") ?? null);
    if (!(await deleted(name))) return;
    row?.remove();
    say(`The run ${name} is deleted.`);
    if (!rows().length) location.reload(); else next?.focus();
  }));
}

/** @param {HTMLElement} row @param {any} line */
function show(row, line) {
  const other = row.dataset.state !== line.state;
  row.dataset.state = line.state;
  const put = (/** @type {string} */ place, /** @type {string} */ text) => { const part = one(place, row); if (part && part.textContent !== text) part.textContent = text; };
  put(".status", line.word); put(".run-line", line.said); put(".run-facts", line.figures);
  const chip = one(".status", row);
  if (chip) chip.className = `status ${line.state}`;
  return other;
}

/** How many work and how many wait, in the server's words. */
async function retold() {
  const page = new DOMParser().parseFromString(await (await fetch(location.href, { credentials: "same-origin" })).text(), "text/html");
  const told = one("#told"), now = page.querySelector("#told");
  if (told && now) told.textContent = now.textContent;
}

async function look() {
  if (document.visibilityState === "visible" && rows().some((row) => GOING.includes(row.dataset.state ?? ""))) {
    try {
      const found = new Map((await get("/api/runs")).map((/** @type {any} */ line) => [line.name, line]));
      const other = rows().filter((row) => { const line = found.get(row.dataset.name); return line ? show(row, line) : false; });
      if (other.length) await retold();
    } catch { /* the next look may see it */ }
  }
  setTimeout(look, EVERY);
}
setTimeout(look, EVERY);
