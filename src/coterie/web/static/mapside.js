// @ts-check
// Beside the map: the card of the chosen member, what a search found, and the selection with what can be done with it.
import { csrf, get, make, one, post, say, tried } from "./base.js";

/** @typedef {{
 *   choose: (at: number, how?: {reveal?: boolean}) => Promise<void>, select: (members: ArrayLike<number>, add?: boolean) => void,
 *   frame: (members: ArrayLike<number>) => void, reread: () => Promise<void>, groups: () => any[], labelOf: (at: number) => number,
 *   groupMembers: (label: number) => number[], marker: (look: any, size?: number) => SVGElement, lookOf: (at: number) => any,
 *   styleOf: (key: number) => any, grouped: (count: number) => string, called: (g: {number: number, name: string}) => string,
 * }} Face  what the map offers to what stands beside it */

const PAGE = 40;

/** Text of a member, which keeps its own direction. @param {string} text */
const own = (text) => make("bdi", {}, text);

export class Side {
  /** @param {string} run @param {Face} map */
  constructor(run, map) {
    this.run = run;
    this.map = map;
    this.api = `/api/runs/${run}`;
    this.place = /** @type {HTMLElement} */ (one("#card"));
    this.chosen = /** @type {HTMLElement} */ (one("#selection"));
    this.keys = /** @type {HTMLElement} */ (one("#keys"));
    this.hits = make("section", { class: "map-card", id: "found", "aria-label": "What was found", hidden: true });
    this.place.before(this.hits);
    this.turn = 0;
  }

  /** The keys are explained where nothing else is to be seen. */
  quiet() { this.keys.hidden = !this.place.hidden || !this.chosen.hidden || !this.hits.hidden; }

  /** @param {any} row @param {string} after */
  line(row, after) {
    return make("li", {}, make("button", { type: "button", class: "who-line", click: () => this.map.choose(row.at, { reveal: true }) },
      this.map.marker(this.map.lookOf(row.at)), make("span", { class: "name" }, own(row.id)), make("span", { class: "n" }, after),
      row.line ? make("span", { class: "line" }, own(row.line)) : null));
  }

  /** Show the card of a member; gives what is known of it. @param {number} at */
  async card(at) {
    const turn = ++this.turn;
    if (at < 0) { this.place.hidden = true; this.place.replaceChildren(); this.quiet(); return null; }
    let found;
    try { found = await get(`${this.api}/members/${at}`); } catch (error) { say(error instanceof Error ? error.message : String(error), "error"); return null; }
    if (turn !== this.turn) return null;
    const flat = this.map.groups().length === 0;
    const told = [...found.told, ...found.known.map((/** @type {any} */ one) => ({ name: `${one.name} (known)`, value: one.value }))];
    const parts = [
      make("header", {}, make("h2", {}, own(found.id)), make("button", { type: "button", class: "quiet", click: () => this.map.choose(-1) }, "Close")),
      flat ? null : make("p", { class: "belongs" }, this.map.marker(this.map.styleOf(found.label)), make("b", {}, own(found.group ? this.map.called({ number: found.group, name: found.name }) : "in no group")), make("span", {}, `confidence ${Math.round(100 * found.confidence)}%`)),
      ...found.seen.flatMap((/** @type {any} */ view) => this.view(view, found)),
      found.seen.length || !found.line ? null : make("p", { class: "excerpt" }, own(found.line)),
      told.length ? make("dl", {}, ...told.slice(0, 12).flatMap((one) => [make("dt", {}, own(one.name)), make("dd", {}, own(one.value))])) : null,
      make("div", { class: "acts" }, make("a", { href: `/runs/${this.run}/members/${at}` }, "Open its page"),
        flat || found.label < 0 ? null : make("button", { type: "button", class: "quiet", click: () => this.map.select(this.map.groupMembers(found.label)) }, "Select its group"),
        make("button", { type: "button", class: "quiet", click: () => this.map.select([at, ...found.neighbors.map((/** @type {any} */ one) => one.at)]) }, "Select it and its nearest")),
      found.neighbors.length ? make("h3", {}, "Nearest members") : null,
      make("ol", {}, ...found.neighbors.map((/** @type {any} */ one) => this.line(one, `${Math.round(100 * one.nearness)}%`))),
    ];
    this.place.replaceChildren(.../** @type {Node[]} */ (parts.filter(Boolean)));
    this.place.hidden = false;
    this.place.scrollTop = 0;
    this.quiet();
    return found;
  }

  /** What is seen of a member, in short. @param {any} view @param {any} member @returns {(Node | null)[]} */
  view(view, member) {
    const name = member.seen.length > 1 ? make("h3", {}, own(view.view)) : null;
    if (view.kind === "text" || view.kind === "mention") return [name, make("p", { class: "excerpt", dir: "auto", tabindex: "0", "aria-label": "Text" }, ...view.parts.map((/** @type {any} */ part) => (part.telling ? make("mark", {}, part.text) : part.text)))];
    if (view.kind === "sound") return [name, make("audio", { controls: true, preload: "metadata", src: view.url, "aria-label": `Play ${member.id}` }), make("p", { class: "small" }, view.said)];
    if (view.kind === "picture") return [name, make("img", { class: "shown", src: view.url, alt: `The picture ${member.id}` })];
    if (view.kind === "row") return [name, make("dl", {}, ...view.cells.flatMap((/** @type {any} */ cell) => [make("dt", {}, own(cell.name)), make("dd", {}, own(cell.value), cell.usual ? make("span", { class: "small" }, ` · usual ${cell.usual}`) : null)]))];
    return [name, make("img", { class: "drawn", src: view.url, alt: `The trace of ${member.id}: ${view.said}` }), make("p", { class: "small" }, view.said)];
  }

  /** A list of members that grows on demand. @param {ArrayLike<number>} members @param {HTMLElement} list @param {HTMLElement} more */
  async grow(members, list, more) {
    const from = list.children.length, next = Array.from(members).slice(from, from + PAGE);
    if (!next.length) return;
    const rows = await get(`${this.api}/members?at=${next.join(",")}`);
    list.append(...rows.map((/** @type {any} */ row) => this.line(row, this.map.groups().length ? `${Math.round(100 * row.confidence)}%` : "")));
    const left = members.length - list.children.length;
    more.hidden = left <= 0;
    more.textContent = `Show more (${this.map.grouped(left)} left)`;
  }

  /** @param {ArrayLike<number>} members */
  listed(members) {
    const list = make("ol", {}), more = make("button", { type: "button", class: "quiet", hidden: true, click: () => tried(more, () => this.grow(members, list, more)) }, "Show more");
    this.grow(members, list, more).catch((error) => say(error.message, "error"));
    return [list, make("div", { class: "acts" }, more)];
  }

  /** What a search found. @param {number} count @param {string} query @param {() => void} selecting @param {number[]} [members] */
  found(count, query, selecting, members = []) {
    this.hits.hidden = !query;
    const said = !count ? "No member was found for" : count === 1 ? "One member found for" : `${this.map.grouped(count)} members found for`;
    this.hits.replaceChildren(make("h2", {}, `${said} “`, own(query), "”"),
      ...(count ? [make("div", { class: "acts" }, make("button", { type: "button", class: "quiet", click: selecting }, "Select them"), make("button", { type: "button", class: "quiet", click: () => this.map.frame(members) }, "Zoom to them")), ...this.listed(members)]
        : [make("p", { class: "small" }, "Every word must occur in the id, the line or a shown column of a member.")]));
    this.quiet();
  }

  /** The selection and what can be done with it. @param {Int32Array} members */
  selection(members) {
    this.chosen.hidden = !members.length;
    this.quiet();
    if (!members.length) { this.chosen.replaceChildren(); return; }
    const groups = this.map.groups(), flat = !groups.length;
    const name = /** @type {HTMLInputElement} */ (make("input", { type: "text", maxlength: "80", placeholder: "Name of the group", "aria-label": "Name of the new group", required: true }));
    const into = /** @type {HTMLSelectElement} */ (make("select", { "aria-label": "Group to put them into" }, ...groups.filter((/** @type {any} */ g) => g.label >= 0).map((/** @type {any} */ g) => make("option", { value: String(g.number) }, this.map.called(g))), make("option", { value: "0" }, "no group")));
    const edit = (/** @type {any} */ body) => async () => {
      const done = await post(`${this.api}/edits`, { ...body, members: Array.from(members) });
      say(done.said || "Done.");
      await this.map.reread();
    };
    const naming = make("button", { type: "submit", class: "quiet" }, "Make them a group"), moving = make("button", { type: "submit", class: "quiet" }, "Put them there");
    const saving = make("button", { type: "button", class: "quiet", click: () => tried(saving, () => this.save(members)) }, "Download");
    this.chosen.replaceChildren(
      make("header", {}, make("h2", {}, members.length === 1 ? "One member selected" : `${this.map.grouped(members.length)} members selected`), make("button", { type: "button", class: "quiet", click: () => this.map.select([]) }, "Clear")),
      flat ? make("span", {}) : this.shares(members),
      make("form", { class: "acts", submit: (event) => { event.preventDefault(); void tried(naming, edit({ kind: "label", name: name.value.trim() })); } }, name, naming),
      flat ? make("span", {}) : make("form", { class: "acts", submit: (event) => { event.preventDefault(); void tried(moving, edit({ kind: "move", groups: [Number(into.value)] })); } }, into, moving),
      make("div", { class: "acts" }, saving, make("button", { type: "button", class: "quiet", click: () => this.map.frame(members) }, "Zoom to them")),
      make("h3", {}, "Who they are"), ...this.listed(members));
  }

  /** Of which groups a selection is made. @param {Int32Array} members */
  shares(members) {
    /** @type {Map<number, number>} */ const count = new Map();
    for (const i of members) count.set(this.map.labelOf(i), (count.get(this.map.labelOf(i)) ?? 0) + 1);
    const rows = [...count].sort((a, b) => b[1] - a[1]), names = new Map(this.map.groups().map((/** @type {any} */ g) => [g.label, g]));
    const items = rows.slice(0, 6).map(([label, many]) => { const g = names.get(label); return make("li", {}, this.map.marker(this.map.styleOf(label)), make("span", { class: "name" }, own(g && g.number ? this.map.called(g) : "in no group")), make("span", { class: "n" }, this.map.grouped(many))); });
    if (rows.length > 6) items.push(make("li", {}, make("span", {}), make("span", { class: "n" }, `and ${rows.length - 6} more groups`)));
    return make("ul", { class: "shares" }, ...items);
  }

  /** Save the selection as the page of exports writes it. @param {Int32Array} members */
  async save(members) {
    const answer = await fetch(`${this.api}/labels`, { method: "POST", headers: { "x-csrf-token": csrf(), "content-type": "application/json" }, body: JSON.stringify({ members: Array.from(members), more: true }) });
    if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? "That did not work.");
    const link = /** @type {HTMLAnchorElement} */ (make("a", { href: URL.createObjectURL(await answer.blob()), download: `${this.run}-selection.csv` }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    say("The selection was saved.");
  }
}
