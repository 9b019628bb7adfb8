// @ts-check
// What every page uses: requests with the form's token, sentences that appear and go, the theme, and forms that are sent quietly.

/** @returns {string} the token that changes must carry */
export const csrf = () => document.querySelector('meta[name="csrf"]')?.getAttribute("content") ?? "";

/** An answer that was refused; its message is a sentence for a person. */
export class Refused extends Error {
  /** @param {number} status @param {string} sentence */
  constructor(status, sentence) { super(sentence); this.status = status; }
}

/**
 * A request to the API; JSON in, JSON out. Throws Refused with the server's sentence.
 * @param {string} method @param {string} path @param {unknown} [body] @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function call(method, path, body, signal) {
  const headers = { "x-csrf-token": csrf(), accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) };
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    if (!leaving) lost();
    throw new Refused(0, "The server does not answer; is it still running?");
  }
  const type = response.headers.get("content-type") ?? "";
  const found = type.includes("json") ? await response.json() : await response.text();
  if (!response.ok) throw new Refused(response.status, (found && found.detail) || "That did not work.");
  return found;
}
const ASKED = 3000; // milliseconds between two looks for a server that was lost
const NOBODY = "The server does not answer; trying again.";
const alarm = document.createElement("p");
alarm.id = "lost"; alarm.className = "banner lost"; alarm.hidden = true; alarm.setAttribute("role", "status");
document.body.prepend(alarm);

/** Whether the server answers now. */
async function answers() {
  try { return (await fetch("/health", { cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout(ASKED) })).ok; } catch { return false; }
}
async function sought() {
  if (document.visibilityState === "visible" && await answers()) { alarm.hidden = true; alarm.textContent = ""; document.dispatchEvent(new Event("server-back")); return; }
  setTimeout(sought, ASKED);
}
/** A banner that the server does not answer; it goes by itself when the server does. @param {string} [sentence] */
export function lost(sentence = NOBODY) {
  if (!alarm.hidden) return;
  alarm.hidden = false; alarm.textContent = sentence;
  setTimeout(sought, ASKED);
}
let leaving = false; // requests that end because the page goes are nobody's fault
window.addEventListener("pagehide", () => { leaving = true; });
window.addEventListener("pageshow", () => { leaving = false; });
document.addEventListener("visibilitychange", async () => { if (document.visibilityState === "visible" && !(await answers()) && !leaving) lost(); });

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
export const get = (path, signal) => call("GET", path, undefined, signal);
/** @param {string} path @param {unknown} [body] @returns {Promise<any>} */
export const post = (path, body) => call("POST", path, body ?? {});

/**
 * A sentence at the edge of the page; errors stay until they are closed.
 * @param {string} sentence @param {"done" | "error"} [kind]
 */
export function say(sentence, kind = "done") {
  const place = document.getElementById("said");
  if (!place) return;
  const box = document.createElement("p");
  box.className = `toast ${kind}`;
  box.textContent = sentence;
  const close = document.createElement("button");
  close.type = "button"; close.className = "quiet"; close.textContent = "Close";
  close.addEventListener("click", () => box.remove());
  box.append(" ", close);
  place.append(box);
  if (kind === "done") setTimeout(() => box.remove(), 6000);
}

/**
 * Do something and say what went wrong, if it did; the button is off meanwhile.
 * @param {HTMLElement | null} button @param {() => Promise<unknown>} work
 */
export async function tried(button, work) {
  button?.setAttribute("aria-busy", "true");
  if (button instanceof HTMLButtonElement) button.disabled = true;
  try { return await work(); } catch (error) { say(error instanceof Error ? error.message : String(error), "error"); return undefined; }
  finally { button?.removeAttribute("aria-busy"); if (button instanceof HTMLButtonElement) button.disabled = false; }
}

/**
 * An element with attributes and children; text is always text, never markup.
 * @param {string} tag @param {Record<string, string | boolean | ((event: Event) => void)>} [attributes] @param {(Node | string | null)[]} children
 */
export function make(tag, attributes = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") one.addEventListener(name, value);
    else if (value === true) one.setAttribute(name, "");
    else if (value !== false) one.setAttribute(name, value);
  }
  one.append(...children.filter((child) => child !== null));
  return one;
}

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement | null} */
export const one = (selector, within = document) => within.querySelector(selector);
/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement[]} */
export const all = (selector, within = document) => [...within.querySelectorAll(selector)].map((item) => /** @type {HTMLElement} */ (item));

const themes = ["auto", "light", "dark"];
const themed = (/** @type {string} */ name) => {
  if (name === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
  const button = document.getElementById("theme");
  if (button) { button.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[name] ?? "Auto"; button.setAttribute("aria-label", `Theme: ${button.textContent}`); }
};
let theme = "auto";
try { theme = localStorage.getItem("coterie-theme") ?? "auto"; } catch { /* kept nowhere */ }
themed(theme);
document.getElementById("theme")?.addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  themed(theme);
  try { localStorage.setItem("coterie-theme", theme); } catch { /* kept nowhere */ }
});
