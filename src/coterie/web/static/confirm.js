// @ts-check
// A question before something is lost: a dialog with two answers, reachable by keyboard, gone with Escape.

import { make } from "./base.js";

/**
 * Ask, and say whether the person agreed.
 * @param {string} question @param {string} detail @param {string} verb what the button that agrees is called
 * @returns {Promise<boolean>}
 */
export function confirmed(question, detail, verb) {
  const title = make("h2", { id: "asked-title" }, question);
  const no = make("button", { type: "button", class: "button plain" }, "Keep it");
  const yes = make("button", { type: "button", class: "danger" }, verb);
  const box = /** @type {HTMLDialogElement} */ (
    make("dialog", { class: "asked", "aria-labelledby": "asked-title" }, title, make("p", { class: "prose" }, detail), make("div", { class: "actions" }, no, yes))
  );
  document.body.append(box);
  return new Promise((done) => {
    box.addEventListener("close", () => { box.remove(); done(box.returnValue === "yes"); });
    no.addEventListener("click", () => box.close("no"));
    yes.addEventListener("click", () => box.close("yes"));
    box.showModal();
    no.focus();
  });
}
