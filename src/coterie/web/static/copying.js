// @ts-check
// Buttons that copy the lines beside them.

import { all, say } from "./base.js";

for (const button of all("[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy ?? "")?.textContent ?? "";
    try { await navigator.clipboard.writeText(text); say("Copied."); } catch { say("The browser does not allow copying here; select the lines and copy them.", "error"); }
  });
}
