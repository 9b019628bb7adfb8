// @ts-check
// Words and groups under one's hands: chips that are dragged, keys that move them, a card on each word, and words to choose from.
import { make, one, say } from "./base.js";
import { count, marker, open, patient, some } from "./words_parts.js";

/** @typedef {import("./words_parts.js").Where} Where */
/** @typedef {import("./words_parts.js").Word} Word */
/**
 * What the board may ask for; `put` says a word into a group (numbered from 1), `out` takes it out of its group.
 * @typedef {{at: string, now: Where, type: string, put: (word: string, group: number, from: number) => void, out: (word: string) => void, more: () => void}} Hands
 */

let carried = { word: "", from: 0 };

/** A word as a chip. @param {Hands} hands @param {Word} word @param {number} group the group it is in, 0 for none @param {boolean} pooled */
export function chip(hands, word, group, pooled = false) {
  const marks = [word.new ? "new" : "", word.given && !pooled ? "given by you" : "", word.here !== null && word.here !== undefined ? `${Math.round(100 * word.here)}% in this group` : ""];
  const inside = group ? `in ${hands.now.names[group - 1]}` : "in no group";
  const label = [word.word, some(word.members, "member"), inside, ...marks.filter(Boolean)].join(", ");
  const button = make("button", {
    type: "button", draggable: "true", "aria-label": label, title: label, "data-word": word.word, "data-group": String(group),
    "data-key": `${pooled ? "pool" : "word"}:${word.word}`, tabindex: "-1", "aria-haspopup": "dialog",
    class: `w-word${word.new && !pooled ? " new" : ""}${word.given && !pooled ? " given" : ""}${pooled && group ? " taken" : ""}`,
    click: () => card(hands, word, group),
    dragstart: (event) => {
      carried = { word: word.word, from: group };
      const data = /** @type {DragEvent} */ (event).dataTransfer;
      if (data) { data.setData("text/plain", word.word); data.effectAllowed = "move"; }
    },
    keydown: (event) => keys(hands, /** @type {KeyboardEvent} */ (event), word, group),
  }, pooled && group ? /** @type {any} */ (marker(group)) : null, make("bdi", {}, word.word), make("span", { class: "n", "aria-hidden": "true" }, count(word.members)));
  return make("li", {}, button);
}

/** @param {Hands} hands @param {KeyboardEvent} event @param {Word} word @param {number} group */
function keys(hands, event, word, group) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const number = Number(event.key);
  if (number >= 1 && number <= Math.min(9, hands.now.k)) {
    event.preventDefault();
    if (number !== group) hands.put(word.word, number, group);
  } else if ((event.key === "Delete" || event.key === "Backspace") && group) {
    event.preventDefault();
    hands.out(word.word);
  }
}

/** Arrow keys, Home and End go from word to word of a list; one of them is reached by Tab. @param {HTMLElement} list */
export function roving(list) {
  const words = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll(".w-word[data-word]")]);
  words()[0]?.setAttribute("tabindex", "0");
  list.addEventListener("keydown", (event) => {
    const found = words(), at = found.indexOf(/** @type {HTMLElement} */ (event.target));
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: found.length - 1 }[event.key];
    if (at < 0 || to === undefined || !found[to]) return;
    event.preventDefault();
    found[to].focus();
  });
  list.addEventListener("focusin", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.matches(".w-word[data-word]")) for (const word of words()) word.setAttribute("tabindex", word === target ? "0" : "-1");
  });
}

/** A place words may be dropped on. @param {HTMLElement} place @param {(word: string, from: number) => void} dropped */
function target(place, dropped) {
  place.addEventListener("dragover", (event) => { event.preventDefault(); place.classList.add("over"); });
  place.addEventListener("dragleave", (event) => { if (!place.contains(/** @type {Node | null} */ (event.relatedTarget))) place.classList.remove("over"); });
  place.addEventListener("drop", (event) => { event.preventDefault(); place.classList.remove("over"); if (carried.word) dropped(carried.word, carried.from); carried = { word: "", from: 0 }; });
}

/** The groups with their words. @param {Hands} hands @returns {HTMLElement} */
export function board(hands) {
  const found = hands.now.boards.find((other) => other.type === hands.type);
  const place = make("div", { class: "w-board" });
  hands.now.names.forEach((name, at) => {
    const words = found?.groups[at] ?? [], total = found?.totals[at] ?? 0;
    const list = make("ul", { class: "w-words", "aria-label": `Words of ${name}` }, ...words.map((word) => chip(hands, word, at + 1)));
    roving(list);
    const size = hands.now.sizes.length ? some(hands.now.sizes[at], "member") : some(total, "seed");
    const group = make("section", { class: "w-group", "data-at": String(at + 1), "aria-label": `Group ${at + 1}, ${name}` },
      make("header", {}, /** @type {any} */ (marker(at + 1)), make("h3", { tabindex: "-1", "data-key": `group:${at + 1}` }, make("bdi", {}, name)), make("span", { class: "small" }, size)),
      words.length ? list : make("p", { class: "none" }, "Drag a word here, or press ", make("kbd", {}, String(at + 1)), " on one."),
      total > words.length ? make("button", { type: "button", class: "w-more", click: () => hands.more() }, `and ${count(total - words.length)} more`) : null);
    target(group, (word, from) => { if (from !== at + 1) hands.put(word, at + 1, from); });
    place.append(group);
  });
  return place;
}

/** What is known of a word, and what can be done with it. @param {Hands} hands @param {Word} word @param {number} group */
async function card(hands, word, group) {
  const places = make("ul", { class: "places", "aria-busy": "true" }, make("li", { class: "small" }, "Looking for places where it stands."));
  const close = () => { box.close(); };
  const to = hands.now.names.map((name, at) => make("button", {
    type: "button", class: "chip", "aria-pressed": String(group === at + 1),
    click: () => { close(); if (group !== at + 1) hands.put(word.word, at + 1, group); },
  }, /** @type {any} */ (marker(at + 1)), make("bdi", {}, name)));
  const share = word.here === null || word.here === undefined || !group ? "" : ` ${Math.round(100 * word.here)}% of its occurrences are in members of this group.`;
  const box = open("word",
    make("h2", { id: "word-title" }, make("bdi", {}, word.word)),
    make("p", { class: "small" }, `In ${some(word.members, "member")}.${share}`),
    make("h3", { class: "w-label" }, group ? "It belongs to" : "Put it into"), make("div", { class: "to" }, ...to),
    make("h3", { class: "w-label" }, "Where it stands"), places,
    make("div", { class: "w-line" },
      make("button", { type: "button", class: "main", click: close }, "Close"),
      group ? make("button", { type: "button", class: "main danger", click: () => { close(); hands.out(word.word); } }, "Take it out") : null));
  try {
    const query = new URLSearchParams({ type: hands.type, word: word.word });
    const found = await patient("GET", `${hands.at}/places?${query}`);
    const lines = found.places.length ? found.places : ["It is not found in the texts as it is written."];
    places.replaceChildren(...lines.map((/** @type {string} */ line) => make("li", {}, make("bdi", {}, line))));
  } catch (error) { places.replaceChildren(make("li", { class: "small" }, error instanceof Error ? error.message : "")); }
  places.removeAttribute("aria-busy");
}

const kept = { search: "", sort: "members", every: false };
/** @type {{type: string, title: string, place: HTMLElement, look: () => void} | null} */ let last = null;

/** Words to choose from, with search and order. @param {Hands} hands @param {string} title @returns {HTMLElement} */
export function pool(hands, title) {
  if (last && last.type === hands.type && last.title === title) { last.look(); return last.place; } // the same list, so that hands and eyes stay where they are
  const list = make("ul", { class: "w-words", "aria-label": `${hands.type} to choose from` });
  const told = make("p", { class: "small", role: "status" }, "");
  const search = /** @type {HTMLInputElement} */ (make("input", { type: "search", placeholder: "Look for a word", "aria-label": `Look among the ${hands.type}`, "data-key": "search", maxlength: "80", autocomplete: "off" }));
  const sort = /** @type {HTMLSelectElement} */ (make("select", { "aria-label": "In which order", "data-key": "sort" },
    ...[["members", "Frequent first"], ["rare", "Rare first"], ["name", "By name"]].map(([value, name]) => make("option", { value, selected: value === kept.sort }, name))));
  const every = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", "data-key": "every" }));
  search.value = kept.search; every.checked = kept.every;
  let asked = 0, timer = 0;
  const look = async () => {
    const mine = (asked += 1);
    Object.assign(kept, { search: search.value, sort: sort.value, every: every.checked });
    try {
      const query = new URLSearchParams({ type: hands.type, search: search.value.trim(), sort: sort.value, every: String(every.checked) });
      const found = await patient("GET", `${hands.at}/candidates?${query}`);
      if (mine !== asked) return;
      const top = list.scrollTop;
      const held = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.word : "";
      list.replaceChildren(...found.words.map((/** @type {any} */ word) => chip(hands, { ...word, new: false, given: false, here: null }, word.group, true)));
      roving(list);
      list.scrollTop = top;
      if (held) one(`[data-word="${CSS.escape(held)}"]`, list)?.focus({ preventScroll: true });
      told.textContent = found.total === 0 ? "There is no such word; part of one is enough." : found.total > found.words.length ? `The first ${count(found.words.length)} of ${count(found.total)}, each with its members.` : `${count(found.total)}, each with the number of its members.`;
    } catch (error) { say(error instanceof Error ? error.message : String(error), "error"); }
  };
  search.addEventListener("input", () => { clearTimeout(timer); timer = window.setTimeout(look, 180); });
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); one(".w-word", list)?.focus(); }
  });
  sort.addEventListener("change", look);
  every.addEventListener("change", look);
  look();
  const place = make("aside", { class: "w-pool", "aria-label": title }, make("h3", {}, title), search,
    make("div", { class: "w-line" }, sort, make("label", {}, every, " rare and frequent too")), list, told);
  target(place, (word, from) => { if (from) hands.out(word); });
  last = { type: hands.type, title, place, look };
  return place;
}
