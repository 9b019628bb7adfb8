// @ts-check
// One member on a line, made by scripts as the template member_line.html makes it.
import { make } from "./base.js";

/** @typedef {import("./editing.js").Member} Member */

/**
 * The picture of a member, or what plays it; nothing where it has neither.
 * @param {Member} member @param {boolean} [within] whether it stands inside of something that is chosen, where no button may be
 */
export function face(member, within = false) {
  if (member.picture) return make("img", { class: "face", src: member.picture, loading: "lazy", width: "56", height: "56", alt: "", draggable: "false" });
  if (!member.sound) return null;
  if (within) return make("span", { class: "play", "data-sound": member.sound, "aria-hidden": "true", title: "Play (p)" });
  return make("button", { type: "button", class: "play", "data-sound": member.sound, "aria-pressed": "false", "aria-label": `Play ${member.id.slice(0, 80)}` });
}

/** What a member is called, its id beside it. @param {Member} member */
export const called = (member) => [make("bdi", {}, member.title), ...(member.title === member.id ? [] : [" ", make("span", { class: "id" }, make("bdi", {}, member.id))])];

/** @param {Member} member @param {boolean} [within] */
export function memberLine(member, within = false) {
  const share = member.group ? make("span", { class: "share", title: "confidence" }, `${Math.round(100 * member.confidence)}%`) : null;
  const told = make("div", { class: "told" }, make("p", { class: "who", title: member.title }, ...called(member)), share, member.line ? make("p", { class: "line" }, make("bdi", {}, member.line)) : null);
  const seen = face(member, within);
  return make("div", { class: seen ? "member faced" : "member" }, seen, told);
}
