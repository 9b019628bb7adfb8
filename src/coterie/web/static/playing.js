// @ts-check
// Recordings in lists: one of them plays at a time; whoever starts another stops the first.
import { say } from "./base.js";

const audio = new Audio();
audio.preload = "none";
/** @type {string} the address of what plays */
let playing = "";

/** Show on every button whether it is its recording that plays. */
function shown() {
  for (const button of document.querySelectorAll("[data-sound]")) {
    const on = button.getAttribute("data-sound") === playing;
    if (button instanceof HTMLButtonElement) button.setAttribute("aria-pressed", String(on));
    else button.classList.toggle("on", on);
  }
}

/** Play a recording, or stop it where it is the one that plays. @param {string} address */
export function play(address) {
  if (playing === address) { audio.pause(); return; }
  playing = address;
  audio.src = address;
  audio.play().catch((error) => {
    if (playing !== address || (error instanceof DOMException && error.name === "AbortError")) return;
    playing = "";
    shown();
    say("This recording cannot be played here.", "error");
  });
  shown();
}

for (const name of ["pause", "ended"]) audio.addEventListener(name, () => { if (audio.paused || audio.ended) { playing = ""; shown(); } });
document.addEventListener("click", (event) => {
  const address = event.target instanceof Element ? event.target.closest("[data-sound]")?.getAttribute("data-sound") : null;
  if (!address) return;
  event.preventDefault();
  event.stopPropagation();
  play(address);
}, true);
document.addEventListener("dblclick", (event) => {
  if (event.target instanceof Element && event.target.closest("[data-sound]")) event.stopPropagation(); // two clicks, not a way to its page
}, true);
