// @ts-check
// A part of the page made anew by the server: forms and links inside it are followed quietly, and what is being made is waited for.
import { one, say } from "./base.js";

const PATIENCE = [600, 900, 1400, 2000, 3000];

/**
 * Let the server make a part of this page anew whenever a form (GET) is sent or a link marked `data-quiet` is followed.
 * @param {string} part the selector of what is exchanged; it is there on every answer
 * @param {(part: HTMLElement) => void} [then] called with the part as it is now, also once at the beginning
 */
export function swapping(part, then = () => {}) {
  /** @type {AbortController | null} */
  let asked = null;
  let waited = 0;

  /** @param {string} path @param {{ keep?: boolean, focus?: boolean }} [how] */
  async function show(path, how = {}) {
    asked?.abort();
    asked = new AbortController();
    const place = one(part);
    place?.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(path, { headers: { accept: "text/html" }, signal: asked.signal, credentials: "same-origin" });
      const found = new DOMParser().parseFromString(await response.text(), "text/html");
      const fresh = one(part, found);
      if (!fresh) throw new Error(one(".verdict", found)?.textContent || "That did not work.");
      const mine = document.importNode(fresh, true);
      place?.replaceWith(mine);
      if (!how.keep) history.pushState({}, "", path);
      settle(mine, path, how.focus === true);
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      place?.removeAttribute("aria-busy");
      say(error instanceof TypeError ? "The server does not answer; is it still running?" : error instanceof Error ? error.message : String(error), "error");
    }
  }

  /** @param {HTMLElement} place @param {string} path @param {boolean} focus */
  function settle(place, path, focus) {
    then(place);
    if (one("[data-preparing]", place)) {
      setTimeout(() => { if (place.isConnected) show(path, { keep: true, focus }); }, PATIENCE[Math.min(waited, PATIENCE.length - 1)]);
      waited += 1;
      return;
    }
    waited = 0;
    if (focus) one("[data-first]", place)?.focus({ preventScroll: false });
  }

  /** @param {HTMLFormElement} form */
  const address = (form) => {
    const given = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === "string" && value !== "") given.set(name, value);
    const action = form.getAttribute("action") || location.pathname;
    return `${action}${given.size ? `?${given}` : ""}`;
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.hasAttribute("data-quiet")) return;
    event.preventDefault();
    show(address(form), { focus: true });
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-quiet]") : null;
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
    event.preventDefault();
    show(link.getAttribute("href") ?? location.href, { focus: true });
  });
  addEventListener("popstate", () => location.reload());
  const now = one(part);
  if (now) settle(now, location.pathname + location.search, false);
  return { show, address };
}
