// @ts-check
// A finished run: new members are sent and placed, lines are copied, the run is deleted after a question.

import { csrf, get, one, post, Refused, say, tried } from "./base.js";
import "./copying.js";
import { deleted } from "./deleting.js";

const EVERY = 800; // milliseconds between two looks at the adding
const name = one("#overview")?.dataset.run ?? "";
const api = `/api/runs/${encodeURIComponent(name)}`;
const bar = /** @type {HTMLProgressElement | null} */ (one("#adding-bar"));

/** @param {string} sentence @param {number} [share] of what is to be done; left out where it is not known */
function telling(sentence, share) {
  const box = one("#adding"), said = one("#adding-said");
  if (box) box.hidden = false;
  if (said) said.textContent = sentence;
  if (bar) { if (share === undefined) bar.removeAttribute("value"); else bar.value = share; }
}

/** @param {File[]} files @returns {Promise<string>} the collection they are in */
async function sent(files) {
  const made = await post("/api/collections", { name: files.length === 1 ? files[0].name : `new members for ${name}` });
  for (const [at, file] of files.entries()) {
    telling(`Sending ${file.name}`, at / files.length);
    const where = `/api/uploads/${encodeURIComponent(made.id)}/files?path=${encodeURIComponent(file.name)}`;
    const response = await fetch(where, { method: "PUT", body: file, headers: { "x-csrf-token": csrf() }, credentials: "same-origin" });
    if (!response.ok) throw new Refused(response.status, (await response.json()).detail ?? "The file could not be sent.");
  }
  return made.id;
}

async function followed() {
  for (;;) {
    const now = await get(`${api}/add`);
    const step = now.steps.find((/** @type {any} */ one) => one.total);
    if (now.status === "none") return;
    if (now.status === "done") { location.reload(); return; }
    if (now.status !== "waiting" && now.status !== "working") { one("#adding")?.setAttribute("hidden", ""); throw new Refused(422, now.sentence); }
    telling(now.sentence, step ? step.done / step.total : undefined);
    await new Promise((done) => setTimeout(done, EVERY));
  }
}

const form = /** @type {HTMLFormElement | null} */ (one("#add"));
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  tried(one("button", form), async () => {
    const files = [...(/** @type {HTMLInputElement} */ (one("#add-files")).files ?? [])];
    const path = /** @type {HTMLInputElement | null} */ (one("#add-path"))?.value.trim() ?? "";
    if (!files.length && !path) { say("Choose files, or name a path.", "error"); return; }
    try {
      const collection = files.length ? await sent(files) : (await post("/api/collections", { source: path })).id;
      await post(`${api}/add`, { collection });
      await followed();
    } catch (error) { one("#adding")?.setAttribute("hidden", ""); throw error; }
  });
});
if (form) get(`${api}/add`).then((now) => { if (now.status === "waiting" || now.status === "working") return tried(one("button", form), followed); return undefined; }).catch(() => undefined);

const gone = one("#delete");
gone?.addEventListener("click", () => tried(gone, async () => { if (await deleted(name)) location.assign("/runs"); }));
