// @ts-check
// New run: the parameters of a chosen method appear, what is wrong is said at its field, and the run is asked for.
import { all, one, post, say } from "./base.js";

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

const form = /** @type {HTMLFormElement | null} */ (one("#new-run"));

/** @param {HTMLElement} field @returns {string | boolean | string[]} */
function valueOf(field) {
  if (field.dataset.name === "truth" || field.dataset.name === "use") {
    const text = /** @type {HTMLInputElement | null} */ (field.querySelector('input[type="text"]'));
    if (text) return text.value.split(",").map((name) => name.trim()).filter(Boolean);
    return all("input:checked", field).map((box) => /** @type {HTMLInputElement} */ (box).value);
  }
  const control = /** @type {Control | null} */ (field.querySelector("input, select, textarea"));
  if (control instanceof HTMLInputElement && control.type === "checkbox") return control.checked;
  return control?.value ?? "";
}

/** The views that are ticked, as a choice of one or of several. @param {HTMLElement} field @returns {Record<string, string>} */
function sighted(field) {
  const names = all("input:checked", field).map((box) => /** @type {HTMLInputElement} */ (box).value);
  if (!names.length) return {};
  if (names.length === 1) return { view: names[0] };
  return { views: names.some((name) => /[\s,]/.test(name)) && names.length === Number(field.dataset.views) ? "all" : names.join(",") };
}

/** What the form says now. */
function asked() {
  /** @type {any} */
  const body = {
    collection: form?.dataset.run ? "" : form?.dataset.collection ?? "", run: form?.dataset.run ?? "", name: "",
    choices: {}, compare: { method: "", params: {} }, organize: { method: "", params: {} }, reading: {}, hints: {},
  };
  for (const field of all(".field", form ?? document)) {
    const group = field.dataset.group ?? "", name = field.dataset.name ?? "", value = valueOf(field);
    if (!group) body.name = value;
    else if (group === "compare" || group === "organize") { if (name) body[group].params[name] = value; else body[group].method = value; }
    else if (field.dataset.views) Object.assign(body.choices, sighted(field));
    else if (group === "choices") { if (value !== "") body.choices[name] = value; }
    else body[group][name] = value;
  }
  return body;
}

/** @param {string} name as the server calls a field @returns {HTMLElement | null} */
function fieldOf(name) {
  const [group, inner = ""] = name.includes(".") ? name.split(".", 2) : name === "name" ? ["", "name"] : [name, ""];
  return all(".field", form ?? document).find((field) => field.dataset.group === group && field.dataset.name === inner) ?? null;
}

/** @param {HTMLElement} field @param {string} sentence */
function mark(field, sentence) {
  const said = /** @type {HTMLElement | null} */ (field.querySelector(":scope > .problem"));
  field.classList.toggle("wrong", Boolean(sentence));
  for (const control of field.querySelectorAll("input, select, textarea")) {
    if (control.closest(".field") === field) control.setAttribute("aria-invalid", String(Boolean(sentence)));
  }
  if (said) { said.textContent = sentence; said.hidden = !sentence; }
}

/** @type {Set<HTMLElement>} */
const touched = new Set();

/**
 * Ask what is wrong, and say it at the fields; those nobody touched yet stay quiet until the form is sent.
 * @param {boolean} every @returns {Promise<HTMLElement | null>} the first field that is wrong
 */
async function checked(every) {
  const found = await post("/api/choices/check", asked());
  /** @type {Map<HTMLElement | null, string>} */
  const wrong = new Map();
  for (const { field, sentence } of found.problems) if (!wrong.has(fieldOf(field))) wrong.set(fieldOf(field), sentence);
  for (const field of all(".field", form ?? document)) {
    const sentence = wrong.get(field) ?? "";
    if (!sentence || every || touched.has(field)) mark(field, sentence);
  }
  const whole = /** @type {HTMLElement} */ (one("#form-problem"));
  whole.textContent = every && wrong.size ? wrong.get(null) ?? `${wrong.size === 1 ? "One thing is" : `${wrong.size} things are`} not right yet; look above.` : "";
  whole.hidden = !whole.textContent;
  return all(".field", form ?? document).find((field) => wrong.has(field)) ?? (wrong.size ? whole : null);
}

/** @param {HTMLElement} field */
function lead(field) {
  for (let above = field.parentElement; above; above = above.parentElement) if (above instanceof HTMLDetailsElement) above.open = true;
  const control = /** @type {HTMLElement | null} */ (field.querySelector("input, select, textarea"));
  control?.focus();
  field.scrollIntoView({ block: "center" });
}

/** @param {HTMLSelectElement} select */
async function parameters(select) {
  const room = select.dataset.room ?? "", place = /** @type {HTMLElement} */ (one(`#${room}-part`)), name = select.value;
  place.replaceChildren();
  if (!name) return;
  try {
    const response = await fetch(`/new/method?room=${room}&name=${encodeURIComponent(name)}`, { credentials: "same-origin" });
    if (!response.ok) throw new Error("The parameters of this method cannot be shown.");
    const made = new DOMParser().parseFromString(await response.text(), "text/html");
    if (select.value === name) place.replaceChildren(...made.body.childNodes); // made by the server's own template: no data of anybody
  } catch (error) { say(error instanceof Error ? error.message : String(error), "error"); }
}

if (form) {
  let timer = 0;
  form.addEventListener("change", (event) => {
    const field = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(".field")) : null;
    if (field) touched.add(field);
    const shown = event.target instanceof HTMLSelectElement && event.target.dataset.room ? parameters(event.target) : Promise.resolve();
    clearTimeout(timer);
    timer = setTimeout(() => shown.then(() => checked(false)).catch(() => undefined), 150);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(timer);
    const button = /** @type {HTMLButtonElement} */ (one('button[type="submit"]', form));
    button.disabled = true;
    try {
      const wrong = await checked(true);
      if (wrong) lead(wrong);
      else location.assign((await post("/api/runs", asked())).address);
    } catch (error) { say(error instanceof Error ? error.message : String(error), "error"); }
    finally { button.disabled = false; }
  });
}
