// @ts-check
// One member: moving it into another group, and the arrow keys that lead to the previous and the next of its group.
import { one, post, tried } from "./base.js";

const box = one("#move");
box?.querySelector("form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const to = /** @type {HTMLSelectElement} */ (one("#to", box));
  void tried(one("button", box), async () => {
    const at = Number(box.dataset.at);
    await post(`/api/runs/${box.dataset.run}/edits`, { kind: "move", members: [at], groups: [Number(to.value)] });
    location.reload();
  });
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target instanceof Element && event.target.closest("input, select, textarea, audio, button, .full-text")) return;
  const way = event.key === "ArrowLeft" ? "prev" : event.key === "ArrowRight" ? "next" : "";
  const link = way ? one(`a[rel="${way}"]`) : null;
  if (link instanceof HTMLAnchorElement) { event.preventDefault(); location.href = link.href; }
});
