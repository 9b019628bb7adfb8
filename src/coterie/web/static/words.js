// @ts-check
// The page Words: the session as the store has it, drawn anew after everything that is said; two tabs follow each other.
import { get, make, one, all, Refused, say, tried } from "./base.js";
import { board, pool } from "./words_board.js";
import { found } from "./words_found.js";
import { count, curve, marker, open, patient, pause, some } from "./words_parts.js";

/** @typedef {import("./words_parts.js").Where} Where */
const root = /** @type {HTMLElement} */ (one("#session"));
const run = root.dataset.run ?? "";
const at = `/api/runs/${run}/words`;
const KINDS = {
  words: "Single words, without function words.", "word bigrams": "Two words that stand side by side.", "word trigrams": "Three words that stand side by side.",
  "stop-words": "Function words (the, of, not): how something is said.", punctuation: "Marks such as ! or …: the manner of writing.",
  tags: "Parts of speech.", "tag bigrams": "Pairs of parts of speech.",
};
const STEPS = { k: "k", types: "types", seeds: "seeds", default: "seeds", "cluster-members": "review", check: "review", "cluster-features": "review", review: "review", done: "done" };
const AUTOMATIC = ["default", "cluster-members", "check", "cluster-features"];
/** @type {Where} */ let now;
let kind = "", shown = 40, saying = 0, line = Promise.resolve();

// ---- talking to the server --------------------------------------------------------------------------------------------------

const load = async () => draw(await patient("GET", `${at}?shown=${shown}`, undefined, preparing));
const preparing = () => { root.setAttribute("aria-busy", "true"); };
const told = (/** @type {string} */ sentence) => { const live = one("#live"); if (live) live.textContent = sentence; };

/** Say one thing after the other; a button that is pressed while something is being said waits for another press. @param {string} where @param {object} body @param {HTMLElement | null} [pressed] @param {string} [done] */
function tell(where, body, pressed = null, done = "") {
  if (pressed && saying) return line;
  saying += 1;
  line = line.then(() => sayNow(where, body, pressed, done)).finally(() => { saying -= 1; });
  return line;
}

/** The page is drawn anew with what came of it. @param {string} where @param {object} body @param {HTMLElement | null} pressed @param {string} done */
async function sayNow(where, body, pressed, done) {
  await tried(pressed, async () => {
    try {
      draw(await patient("POST", `${at}${where}?shown=${shown}`, { on: now.version, ...body }, preparing));
      if (done) told(done);
    } catch (error) {
      if (error instanceof Refused && error.status === 422) { try { await load(); } catch { /* the first sentence is the one to read */ } }
      root.removeAttribute("aria-busy");
      throw error;
    }
  });
}
const choose = (/** @type {object} */ body) => (/** @type {Event} */ event) => tell("", body, /** @type {HTMLElement} */ (event.currentTarget));
const button = (/** @type {string} */ words, /** @type {object} */ body, style = "main") => make("button", { type: "button", class: style, "data-key": words, click: choose(body) }, words);

/** Look again and again: whether another tab said something, and how far the work is. */
async function follow() {
  for (;;) {
    await pause(now.work.going ? 600 : document.hidden ? 6000 : 2000);
    if (saying) continue;
    try {
      const pulse = await get(`${at}/pulse`);
      if (saying) continue;
      const ended = now.work.going && !pulse.work.going;
      if (pulse.version !== now.version || ended || pulse.work.going !== now.work.going) await load();
      else if (pulse.work.going) { now.work = pulse.work; progress(); }
    } catch { /* the server is away for a moment: look again later */ }
  }
}

// ---- drawing ----------------------------------------------------------------------------------------------------------------

/** @param {Where} next */
function draw(next) {
  const held = /** @type {HTMLElement | null} */ (document.activeElement), key = held?.dataset?.key, group = held?.dataset?.group;
  const inside = root.contains(held), moved = now && now.status !== next.status;
  now = next;
  const types = now.boards.map((other) => other.type);
  if (!types.includes(kind)) kind = types[0] ?? "";
  const [headline, lead] = words();
  /** @type {HTMLElement} */ (one("#headline")).textContent = headline;
  /** @type {HTMLElement} */ (one("#lead")).textContent = lead;
  const step = STEPS[/** @type {keyof typeof STEPS} */ (now.status)];
  const order = all("#steps li").map((item) => item.dataset.step);
  for (const item of all("#steps li")) {
    item.classList.toggle("past", order.indexOf(item.dataset.step) < order.indexOf(step));
    if (item.dataset.step === step) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
  }
  root.replaceChildren(...stage(), soFar());
  root.removeAttribute("aria-busy");
  if (inside || moved) refocus(key, group, moved);
  if (moved) told(headline);
}

/** Where the hands were, they are again: on the same word, else beside it, else on its group; after a step at its headline. */
function refocus(/** @type {string | undefined} */ key, /** @type {string | undefined} */ group, /** @type {boolean | undefined} */ moved) {
  const same = key ? all("[data-key]", root).find((item) => item.dataset.key === key && item.offsetParent !== null) : undefined;
  if (same) { same.focus({ preventScroll: true }); return; }
  if (moved) { const headline = /** @type {HTMLElement} */ (one("#headline")); headline.tabIndex = -1; headline.focus({ preventScroll: false }); return; }
  const beside = group ? one(`.w-group[data-at="${group}"] .w-word`, root) ?? one(`.w-group[data-at="${group}"] h3`, root) : one(".w-word", root);
  beside?.focus({ preventScroll: true });
}

/** @returns {[string, string]} what is asked for now, and why */
function words() {
  const n = count(now.members);
  if (now.work.going && now.work.back) return ["Going back.", "What was found before the last choice is found again, from the log of the session."];
  switch (now.status) {
    case "k": return ["Which groups are you looking for?", `${n} members can be grouped by whatever you can illustrate with words: topics, moods, genres, sides. Say how many groups there are and what you call them.`];
    case "types": return ["What tells these groups apart?", "Members are compared by what you choose here. Single words are right for topics; the others show the manner of writing."];
    case "seeds": return ["Name a few telling words of each group.", `Two or three for each are enough: more are proposed after the first clustering. Words of middle frequency, in some and not in most of the ${n} members, tell most.`];
    case "review": return ["Are these the right words?", `With your words ${count(now.covered)} of ${n} members found a group; the new words are typical of those. Take out what does not fit, move what belongs elsewhere, and cluster again.`];
    case "done": return [`${some(now.sizes.filter((size) => size > 0).length, "group")}, by ${now.seeded ? "your words" : "their words"}.`, now.unassigned ? `${count(now.members - now.unassigned)} of ${n} members are in a group; the other ${count(now.unassigned)} have none of the words.` : `All ${n} members are in a group.`];
    default: return now.work.going ? ["Clustering.", "Members are grouped by the words, then words by the members. You can close this page; the work goes on."] : now.work.problem ? ["That did not work.", "Nothing is lost: the session is where you left it."] : ["Ready to go on.", "The members are not clustered yet."];
  }
}

/** @returns {HTMLElement[]} the sheets of this step */
function stage() {
  if (now.work.going) return [working()];
  if (AUTOMATIC.includes(now.status)) return [held()];
  if (now.work.problem) say(now.work.problem, "error");
  if (now.status === "k") return [choosingGroups()];
  if (now.status === "types") return [choosingTypes()];
  if (now.status === "seeds") return [seeding()];
  if (now.status === "review") return [...ties(), reviewing()];
  return [found({ at, run, now, tell, button, undo, open })];
}

const undo = () => now.undo ? make("button", { type: "button", class: "main plain", "data-key": "undo", "aria-label": `Undo: ${now.undo}`, title: `Undo: ${now.undo}`, click: (event) => tell("", { do: "undo" }, /** @type {HTMLElement} */ (event.currentTarget), `Taken back: ${now.undo}`) }, "Undo") : null;

function choosingGroups() {
  const number = /** @type {HTMLInputElement} */ (make("input", { type: "number", min: "2", max: String(Math.min(now.members, 200)), id: "k", required: true, "data-key": "k" }));
  number.value = root.dataset.groups ?? "2";
  const names = make("div", { class: "w-names" });
  const listed = () => {
    const k = Math.min(Math.max(Math.trunc(Number(number.value)) || 0, 0), 200);
    while (names.children.length > k) names.lastElementChild?.remove();
    while (names.children.length < k) {
      const which = names.children.length + 1;
      names.append(make("label", {}, make("span", {}, /** @type {any} */ (marker(which)), `Group ${which}`), make("input", { type: "text", maxlength: "80", placeholder: `group ${which}`, autocomplete: "off", "data-key": `name ${which}` })));
    }
  };
  number.addEventListener("input", listed);
  listed();
  return make("form", { class: "sheet", submit: (event) => {
    event.preventDefault();
    const given = all("input", names).map((item, i) => /** @type {HTMLInputElement} */ (item).value.trim() || `group ${i + 1}`);
    tell("", { do: "groups", k: given.length, names: given }, one("button", /** @type {HTMLElement} */ (event.currentTarget)));
  } },
  make("div", { class: "field" }, make("label", { for: "k" }, "Number of groups"), number, make("span", { class: "small" }, `From 2 to ${count(Math.min(now.members, 200))}.`)),
  make("h2", { class: "w-second" }, "What you call them"), make("p", { class: "small w-keys" }, "You can leave names out."), names,
  make("div", { class: "w-line" }, make("button", { class: "main", type: "submit" }, "Go on with these groups")));
}

function choosingTypes() {
  const list = make("ul", { class: "w-kinds" }, ...now.types.map((type, i) => make("li", {}, make("label", {},
    make("input", { type: "checkbox", value: type.name, checked: i === 0, "data-key": `type ${i}` }), make("b", {}, type.name),
    make("span", { class: "small" }, KINDS[/** @type {keyof typeof KINDS} */ (type.name)] ?? "What members are tied to.")))));
  return make("form", { class: "sheet", submit: (event) => {
    event.preventDefault();
    const types = all("input:checked", list).map((item) => /** @type {HTMLInputElement} */ (item).value);
    if (!types.length) { say("Choose one of them, or more.", "error"); return; }
    tell("", { do: "types", types }, one("button", /** @type {HTMLElement} */ (event.currentTarget)));
  } }, list, make("div", { class: "w-line" }, make("button", { class: "main", type: "submit" }, "Go on"), undo()));
}

/** The hands of the board: what a word being put somewhere means at this step. @returns {any} */
function hands() {
  const early = now.status === "seeds";
  return {
    at, now, type: kind,
    put: (/** @type {string} */ word, /** @type {number} */ group, /** @type {number} */ from) => tell("", { do: early ? "put" : from ? "move" : "add", type: kind, features: [word], to: group }, null, `${word} is in ${now.names[group - 1]} now.`),
    out: (/** @type {string} */ word) => tell("", { do: early ? "take" : "delete", type: kind, features: [word] }, null, early ? `${word} is in no group now.` : `${word} is taken out, and not proposed again.`),
    more: () => { shown = 200; load().catch((error) => say(String(error.message), "error")); },
  };
}

const tabs = () => now.boards.length < 2 ? null : make("div", { class: "w-tabs", role: "group", "aria-label": "Type of features" },
  ...now.boards.map((other) => make("button", { type: "button", class: "chip", "data-key": `tab ${other.type}`, "aria-pressed": String(other.type === kind), click: () => { kind = other.type; draw(now); } }, other.type)));
const help = () => make("p", { class: "w-keys" }, "Drag words, or go to one with ", make("kbd", {}, "Tab"), " and the arrow keys: ", make("kbd", {}, "1"), "–", make("kbd", {}, String(Math.min(9, now.k))), " puts it into a group, ", make("kbd", {}, "Delete"), " takes it out, ", make("kbd", {}, "Enter"), " shows where it stands.");

function seeding() {
  const any = now.boards.some((other) => other.totals.some((total) => total > 0));
  const warned = now.sentences.filter((line) => line.startsWith("No seeds") || line.startsWith("Seeds of one"));
  return make("section", { class: "sheet" }, tabs(), help(),
    make("div", { class: "w-desk" }, pool(hands(), `${kind.charAt(0).toUpperCase()}${kind.slice(1)} to choose from`), board(hands())),
    make("div", { class: "w-do" },
      make("p", { class: "said" }, any ? `${count(now.covered)} of ${count(now.members)} members have a seed. ${warned.join(" ")}` : "No seeds yet."),
      undo(), button("Go on without seeds", { do: "skip" }, "main plain"),
      any ? button("Cluster the members", { do: "seeds" }) : null));
}

function reviewing() {
  const fresh = now.boards.reduce((sum, other) => sum + other.groups.reduce((all, group) => all + group.filter((word) => word.new).length, 0), 0);
  const legend = make("p", { class: "w-legend" },
    make("span", {}, make("span", { class: "w-word given" }, "given"), " by you"), make("span", {}, make("span", { class: "w-word new" }, "proposed"), " just now"), make("span", {}, make("span", { class: "w-word" }, "kept"), " from before"));
  return make("section", { class: "sheet" }, tabs(), help(), legend,
    make("div", { class: "w-desk" }, pool(hands(), `More ${kind}`), board(hands())),
    make("div", { class: "w-do" },
      make("p", { class: "said" }, `${some(fresh, "new word")} shown. Iteration ${now.iteration} of ${now.most_iterations} at most.`),
      undo(), button("I am done", { do: "stop" }, "main plain"), button("Cluster again with these words", { do: "accept" })));
}

/** Clusters of words that may be of several groups. */
function ties() {
  const unsettled = now.ties.filter((tie) => tie.type === kind || now.boards.length < 2);
  if (!unsettled.length) return [];
  return [make("section", { class: "sheet" }, make("div", { class: "sheet-head" }, make("h2", {}, "Words of several groups"), make("p", {}, "These words were found together with seeds of several groups alike. Say where they belong, or leave them out.")),
    make("ul", { class: "w-ties" }, ...unsettled.map((tie) => make("li", {},
      make("p", {}, make("bdi", {}, tie.words.join(", ")), tie.total > tie.words.length ? ` and ${count(tie.total - tie.words.length)} more` : ""),
      make("div", { class: "chips" }, ...tie.groups.map((group) => make("button", { type: "button", class: "chip", "aria-pressed": String(tie.to === group), "data-key": `tie ${tie.number} ${group}`, click: choose({ do: "settle", tie: tie.number, to: group }) }, /** @type {any} */ (marker(group)), make("bdi", {}, now.names[group - 1]))),
        make("button", { type: "button", class: "chip", "aria-pressed": String(tie.to === 0), "data-key": `tie ${tie.number} 0`, click: choose({ do: "settle", tie: tie.number, to: 0 }) }, "Leave them out"))))))];
}

function working() {
  const bar = make("progress", { "aria-label": "How far the work is" });
  const place = make("section", { class: "sheet w-working", "aria-live": "off" }, make("strong", { class: "what" }, ""), bar, make("p", { class: "small how" }, ""),
    make("div", { class: "w-line" }, make("button", { type: "button", class: "main plain", "data-key": "stop", click: (event) => tell("/cancel", {}, /** @type {HTMLElement} */ (event.currentTarget)) }, "Stop, and go back")));
  queueMicrotask(progress);
  return place;
}

function progress() {
  const place = one(".w-working", root);
  if (!place) return;
  const work = now.work, what = one(".what", place), how = one(".how", place), bar = /** @type {HTMLProgressElement} */ (one("progress", place));
  if (what) what.textContent = work.stopping ? "It is being stopped" : work.waiting ? "Waiting for other work to end" : work.back ? "Going back" : "Clustering the members";
  if (how) how.textContent = work.task ? `${work.task}${work.total ? `: ${count(work.done)} of ${count(work.total)}` : ""}` : "A few seconds for some hundred members.";
  if (work.total) { bar.max = work.total; bar.value = work.done; } else bar.removeAttribute("value");
}

/** A step that waits: it was stopped, or it failed. */
function held() {
  return make("section", { class: "sheet w-working" }, make("strong", {}, now.work.problem || "The next step was not worked out yet."),
    make("div", { class: "w-line" }, undo(), now.sizes.length ? button("End with the groups there are", { do: "stop" }, "main plain") : null,
      make("button", { type: "button", class: "main", "data-key": "go", click: (event) => tell("/go", {}, /** @type {HTMLElement} */ (event.currentTarget)) }, now.work.problem ? "Try again" : "Go on")));
}

/** What there is so far: coverage, what changed, everything that was done, and the way to begin anew. */
function soFar() {
  if (now.status === "k") return make("div", {});
  const lines = [...now.changed, ...now.sentences.filter((line) => !line.startsWith("No seeds") && !line.startsWith("Seeds of one"))];
  const log = make("details", { class: "w-log" }, make("summary", {}, `All that was done (${count(now.log.length)})`), make("ol", {}, ...now.log.map((line) => make("li", {}, make("bdi", {}, line)))));
  const anew = make("button", { type: "button", class: "quiet", "data-key": "anew", click: beginAnew }, "Begin anew");
  return make("section", { class: "sheet" }, make("div", { class: "sheet-head" }, make("h2", {}, "So far")),
    make("div", { class: now.points.length ? "w-so-far" : "" }, now.points.length && now.seeded ? curve(now) : null,
      make("div", {}, now.changed.length ? make("h3", { class: "w-label" }, "What changed in the last step") : null, make("ul", { class: "w-told" }, ...lines.map((line) => make("li", {}, line))), log,
        make("p", { class: "w-line w-log" }, anew))));
}

function beginAnew() {
  const box = open("sure", make("h2", { id: "sure-title" }, "Begin anew?"), make("p", {}, "The groups and words of this session are put aside. The run itself stays as it is."),
    make("div", { class: "w-line" }, make("button", { type: "button", class: "main danger", click: (event) => tried(/** @type {HTMLElement} */ (event.currentTarget), async () => {
      await patient("DELETE", at, { on: now?.version ?? "" });
      box.close();
      await load();
    }) }, "Begin anew"), make("button", { type: "button", class: "main plain", click: () => box.close() }, "Keep it")));
}

try { await load(); follow(); } catch (error) {
  /** @type {HTMLElement} */ (one("#headline")).textContent = "The session cannot be opened.";
  /** @type {HTMLElement} */ (one("#lead")).textContent = error instanceof Error ? error.message : String(error);
  root.removeAttribute("aria-busy");
  root.replaceChildren(make("section", { class: "sheet empty" }, make("strong", {}, "Nothing was changed"), make("div", { class: "w-line" }, make("button", { type: "button", class: "main plain", click: () => location.reload() }, "Try again"), make("button", { type: "button", class: "main danger", click: beginAnew }, "Begin anew"))));
}
