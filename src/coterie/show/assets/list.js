/* The report's hands, third part: search, legend, list, the card of a member, and the keys. */

// ---------------------------------------------------------------- search, legend, list

/** With more categories than this the legend is shortened to two rows. */
const FEW_CHIPS = 12;

/** @type {string[] | null} */
let haystack = null;
const plain = (text) => text.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase();

/** Work out who is shown after the search or the legend has changed. */
function refilter() {
  const words = plain(state.query).split(/\s+/).filter(Boolean);
  if (words.length && !haystack) haystack = ids.map((id, i) => plain(id + "\n" + snippets[i]));
  let shown = 0;
  for (let i = 0; i < n; i++) {
    const kept = !state.hidden.has(category(i));
    const met = !words.length || words.every((word) => haystack[i].includes(word));
    state.mask[i] = kept ? (met ? 2 : 1) : 0;
    if (state.mask[i] === 2) shown++;
  }
  state.listed = shown === n ? reading : reading.filter((i) => state.mask[i] === 2);
  const all = `${grouped(n)} ${n === 1 ? "member" : "members"}`;
  $$("count").textContent = shown === n ? all : `${grouped(shown)} of ${all}`;
  $$("all").hidden = !state.hidden.size;
  list.scrollTop = 0;
  fillList(true);
  wake(true);
}

/** The legend of the present coloring: one switch per category, or a ramp. */
function buildLegend() {
  const legend = $$("legend");
  if (state.colorBy === "confidence") {
    const box = make("div", "ramp"), canvas = /** @type {HTMLCanvasElement} */ (make("canvas", ""));
    paintRamp(canvas, faintest());
    const ends = make("div", "ramp-ends");
    ends.append(make("span", "", "doubtful"), make("span", "", "confidence"), make("span", "", "sure"));
    box.append(canvas, ends);
    legend.replaceChildren(box);
    legend.hidden = false;
    return;
  }
  const chips = categories().map((c) => {
    const button = /** @type {HTMLButtonElement} */ (make("button", ""));
    button.type = "button";
    button.title = c.name + "\nClick to hide or show, double-click to see it alone";
    button.dataset.key = String(c.key);
    button.setAttribute("aria-pressed", String(!state.hidden.has(c.key)));
    button.append(marker(styleOf(c.key)), ...(c.letter ? [make("b", "", c.letter)] : []), own("span", "name", c.name), ...(c.unstable ? [make("span", "n", "unstable")] : []), make("span", "n", grouped(c.size)));
    return button;
  });
  const more = /** @type {HTMLButtonElement} */ (make("button", "more"));
  more.type = "button";
  legend.replaceChildren(...chips, more);
  legend.hidden = !chips.length;
  fitLegend();
}

/** Many categories take two rows and a button that shows the rest; those out of sight cannot be reached by keys either. */
function fitLegend() {
  const more = /** @type {HTMLElement | null} */ ($$("legend").querySelector(".more"));
  if (!more) return;
  const chips = [...$$("legend").querySelectorAll("button[data-key]")], what = state.colorBy === "group" ? "groups" : "values";
  for (const chip of chips) chip.hidden = false;
  const second = [...new Set(chips.map((chip) => chip.offsetTop))][1];
  const few = chips.length <= FEW_CHIPS || !chips.some((chip) => chip.offsetTop > second);
  more.hidden = few;
  more.setAttribute("aria-expanded", String(state.wide));
  more.textContent = state.wide ? "Show fewer" : `Show all ${chips.length} ${what}`;
  if (few || state.wide) return;
  const seen = chips.filter((chip) => chip.offsetTop <= second);
  for (const chip of chips.slice(seen.length)) chip.hidden = true;
  while (seen.length > 1 && more.offsetTop > second) seen.pop().hidden = true;
}

function pressLegend() {
  for (const button of $$("legend").querySelectorAll("button[data-key]")) {
    button.setAttribute("aria-pressed", String(!state.hidden.has(Number(button.dataset.key))));
  }
  refilter();
}

/** Show one category alone; again shows all. */
function alone(key) {
  const others = categories().map((c) => c.key).filter((k) => k !== key);
  const already = state.hidden.size === others.length && !state.hidden.has(key);
  state.hidden = new Set(already ? [] : others);
  pressLegend();
}

$$("legend").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches(".more")) {
    state.wide = !state.wide;
    return fitLegend();
  }
  const key = Number(button.dataset.key);
  if (event.shiftKey) return alone(key);
  if (!state.hidden.delete(key)) state.hidden.add(key);
  pressLegend();
});
$$("legend").addEventListener("dblclick", (event) => {
  const button = event.target.closest("button[data-key]");
  if (button) alone(Number(button.dataset.key));
});
$$("all").addEventListener("click", () => { state.hidden.clear(); pressLegend(); });

let typing = 0;
$$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => { state.query = $$("search").value; refilter(); }, n > 4000 ? 90 : 20);
});
$$("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && state.listed.length) {
    event.preventDefault();
    select(state.listed[0]);
  }
});

function recolor() {
  map.sprites = [];
  buildLegend();
  fillList(true);
  if (state.selected >= 0) showCard(state.selected);
  wake(true);
}

$$("color").append(...(flat ? [new Option("Nothing", "group")] : [new Option("Group", "group"), new Option("Confidence", "confidence")]));
columns.forEach((column, i) => {
  if (column.values.length > 1 && column.values.length <= data.few) $$("color").append(new Option(column.name, "column:" + i));
});
$$("color").parentElement.hidden = $$("color").options.length < 2;
$$("color").addEventListener("change", () => {
  state.colorBy = $$("color").value;
  state.hidden.clear();
  recolor();
  refilter();
});

const ROW = 46;
const list = $$("list");
const run = make("div", "run");
list.append(run);
const rowsAt = { first: -1, last: -1 };

/** Put the rows that can be seen into the list, and no others. */
function fillList(anew = false) {
  const { listed } = state;
  run.style.height = listed.length * ROW + "px";
  const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
  const last = Math.min(listed.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 4);
  if (!anew && first === rowsAt.first && last === rowsAt.last) return;
  Object.assign(rowsAt, { first, last });
  const rows = [];
  for (let at = first; at < last; at++) rows.push(listRow(listed[at], at));
  run.replaceChildren(...(rows.length ? rows : [make("p", "empty", n ? "Nobody matches. Escape clears the search." : "There are no members.")]));
  if (state.selected >= 0 && $$("row-" + state.selected)) list.setAttribute("aria-activedescendant", "row-" + state.selected);
  else list.removeAttribute("aria-activedescendant");
}

function listRow(member, at) {
  const row = make("div", "row"), text = make("div", "text");
  row.id = "row-" + member;
  row.dataset.member = String(member);
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", String(member === state.selected));
  row.setAttribute("aria-setsize", String(state.listed.length));
  row.setAttribute("aria-posinset", String(at + 1));
  row.style.top = at * ROW + "px";
  text.append(own("span", "who", ids[member]));
  if (lineOf(member)) text.append(own("span", "line", lineOf(member)));
  row.append(marker(memberStyle(member)), text, ...(flat ? [] : [make("span", "n", percent(confidence[member]))]));
  return row;
}

list.addEventListener("scroll", () => fillList(), { passive: true });
list.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (row) select(Number(row.dataset.member), { scroll: false });
});
list.addEventListener("pointerover", (event) => {
  const row = event.target.closest(".row");
  state.hover = row ? Number(row.dataset.member) : -1;
  wake();
});
list.addEventListener("pointerleave", () => { state.hover = -1; wake(); });

// ---------------------------------------------------------------- the card

/** Choose a member: card, rings, lines, and its place in the list. */
function select(member, { move = true, scroll = true } = {}) {
  state.selected = member;
  if (state.mask[member] === 0) { state.hidden.clear(); pressLegend(); }
  showCard(member);
  if (scroll) {
    const at = state.listed.indexOf(member);
    if (at >= 0) list.scrollTop = Math.max(0, at * ROW - list.clientHeight / 2 + ROW);
  }
  fillList(true);
  if (move) reveal(member);
  wake();
  $$("said").textContent = [ids[member], standing(member)].filter(Boolean).join(", ");
}

function letGo() {
  state.selected = -1;
  $$("card").replaceChildren();
  fillList(true);
  wake();
}

function showCard(member) {
  const g = group(member), head = make("header", ""), close = make("button", "close", "×");
  close.setAttribute("aria-label", "Close the card");
  close.addEventListener("click", letGo);
  head.append(own("h3", "", ids[member]), close);
  const belongs = make("p", "belongs");
  belongs.append(marker(styleOf(g.label)), own("b", "", `${g.letter} ${g.name}`), make("span", "", "confidence " + percent(confidence[member])));
  const parts = flat ? [head] : [head, belongs];
  if (lineOf(member)) parts.push(own("p", "line", lineOf(member)));
  if (columns.length) {
    const more = make("dl", "");
    for (const column of columns) more.append(own("dt", "", column.name), own("dd", "", column.values[column.codes[member]]));
    parts.push(more);
  }
  const others = neighborsOf(member);
  if (others.length) {
    const rows = make("ul", "");
    for (const [other, share] of others) {
      const item = make("li", ""), button = make("button", "near");
      button.title = snippets[other];
      button.append(marker(memberStyle(other), 11), own("span", "name", ids[other]), make("span", "n", percent(share)));
      button.addEventListener("click", () => select(other));
      button.addEventListener("pointerenter", () => { state.hover = other; wake(); });
      button.addEventListener("pointerleave", () => { state.hover = -1; wake(); });
      item.append(button);
      rows.append(item);
    }
    parts.push(make("h4", "", "Nearest members"), rows);
  }
  $$("card").replaceChildren(...parts);
  $$("card").scrollTop = 0;
}

/** Go to the next or previous member of the same group, round and round; or to the next group. */
function step(by, groups = false) {
  const { listed, selected } = state;
  if (!listed.length) return;
  if (selected < 0) return select(listed[0]);
  if (groups) {
    const present = [...new Set(Array.from(listed, (i) => labels[i]))];
    const label = present[(present.indexOf(labels[selected]) + by + present.length) % present.length];
    return select(listed.find((i) => labels[i] === label));
  }
  const mates = listed.filter((i) => labels[i] === labels[selected]);
  if (!mates.length) return select(listed[0]);
  const at = mates.indexOf(selected);
  select(mates[at < 0 ? 0 : (at + by + mates.length) % mates.length]);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const where = /** @type {HTMLElement} */ (event.target);
  const typingNow = where.matches("input, select, textarea");
  if (event.key === "Escape") {
    if (state.query) { $$("search").value = state.query = ""; refilter(); }
    else letGo();
    if (typingNow) where.blur();
    return;
  }
  if (typingNow) return;
  const inside = where === map.over || where === list || where.closest(".card") !== null;
  const moves = {
    "/": () => { $$("search").focus(); $$("search").select(); toMap(); },
    j: () => step(1), k: () => step(-1),
    ...(inside && { ArrowDown: () => step(1), ArrowUp: () => step(-1), ArrowRight: () => step(1, true), ArrowLeft: () => step(-1, true) }),
    ...(where === map.over && { "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: fitAgain }),
  };
  if (moves[event.key]) {
    event.preventDefault();
    moves[event.key]();
  }
});

function fitAgain() {
  map.view = { ...map.fit };
  moved();
}

function toMap() {
  const box = $$("map").getBoundingClientRect();
  if (box.top < -80 || box.top > innerHeight - 320) $$("map").scrollIntoView({ behavior: wantsCalm.matches ? "auto" : "smooth" });
}

$$("zoom-in").addEventListener("click", () => zoom(1.5));
$$("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
$$("zoom-fit").addEventListener("click", fitAgain);

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-member], [data-group]");
  if (!link || link.closest("#list")) return;
  event.preventDefault();
  if (link.dataset.member !== undefined) select(Number(link.dataset.member));
  else {
    if (state.colorBy !== "group") { state.colorBy = $$("color").value = "group"; recolor(); }
    state.hidden = new Set(categories().map((c) => c.key).filter((key) => key !== Number(link.dataset.group)));
    letGo();
    pressLegend();
  }
  $$("map").scrollIntoView({ behavior: wantsCalm.matches ? "auto" : "smooth" });
});
