// @ts-check
// Collections: files are sent one by one, several at once; a look is waited for; a collection can go.
import { all, call, csrf, get, one, post, Refused, say, tried } from "./base.js";

/** @typedef {{ path: string, file: File }} Sent */

const AT_ONCE = 4;
const LEFT = new Set(["thumbs.db", "desktop.ini", "__macosx"]);
const ARCHIVES = /\.(zip|tar|tgz|tar\.gz|tar\.bz2|7z|rar)$/i;

/** @param {number} bytes */
const size = (bytes) => (bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : bytes >= 1e3 ? `${Math.round(bytes / 1e3)} kB` : `${bytes} B`);
/** @param {number} n @param {string} noun */
const many = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
/** @param {string} path hidden files and what systems leave behind */
const kept = (path) => path.split("/").every((part) => part && !part.startsWith(".") && !LEFT.has(part.toLowerCase()));

/**
 * Everything below what was dropped.
 * @param {any} entry a FileSystemEntry @param {string} above @param {Sent[]} found
 */
async function below(entry, above, found) {
  const path = above ? `${above}/${entry.name}` : entry.name;
  if (entry.isFile) {
    /** @type {File} */
    const file = await new Promise((done, failed) => entry.file(done, failed));
    found.push({ path, file });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    /** @type {any[]} */
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return;
    for (const inner of some) await below(inner, path, found);
  }
}

/**
 * One file on its way; told how many bytes went.
 * @param {string} id @param {Sent} sent @param {(bytes: number) => void} went @param {AbortSignal} signal
 * @returns {Promise<any>}
 */
function send(id, sent, went, signal) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `/api/uploads/${encodeURIComponent(id)}/files?path=${encodeURIComponent(sent.path)}`);
    request.setRequestHeader("x-csrf-token", csrf());
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => went(event.loaded));
    request.addEventListener("load", () => {
      let said;
      try { said = JSON.parse(request.responseText); } catch { said = {}; }
      if (request.status < 300) done(said);
      else failed(new Refused(request.status, said.detail ?? "That did not work."));
    });
    request.addEventListener("error", () => failed(new Refused(0, "The server does not answer; is it still running?")));
    request.addEventListener("abort", () => failed(new DOMException("stopped", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(sent.file);
  });
}

/** The place where files are dropped. */
class Drop {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.invite = /** @type {HTMLElement} */ (one(".invite", place));
    this.sending = /** @type {HTMLElement} */ (one(".sending", place));
    this.refused = /** @type {HTMLElement} */ (one(".refused", place));
    this.bar = /** @type {HTMLProgressElement} */ (one("#sending-bar", place));
    this.busy = false;
    this.stop = new AbortController();
    for (const [button, input] of [[".pick-files", "#files"], [".pick-folder", "#folder"]]) {
      const chosen = /** @type {HTMLInputElement} */ (one(input, place));
      one(button, place)?.addEventListener("click", () => chosen.click());
      chosen.addEventListener("change", () => {
        const files = [...(chosen.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
        chosen.value = "";
        if (files.length) this.take(files);
      });
    }
    one("#sending-stop", place)?.addEventListener("click", () => this.stop.abort());
    let inside = 0;
    place.addEventListener("dragenter", (event) => { event.preventDefault(); inside += 1; place.classList.add("over"); });
    place.addEventListener("dragover", (event) => event.preventDefault());
    place.addEventListener("dragleave", () => { inside -= 1; if (inside <= 0) { inside = 0; place.classList.remove("over"); } });
    place.addEventListener("drop", (event) => { event.preventDefault(); inside = 0; place.classList.remove("over"); this.dropped(event); });
  }

  /** @param {DragEvent} event */
  async dropped(event) {
    const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    /** @type {Sent[]} */
    const found = [];
    for (const entry of entries) await below(entry, "", found);
    if (!entries.length) for (const file of event.dataTransfer?.files ?? []) found.push({ path: file.name, file });
    if (found.length) this.take(found);
  }

  /** @param {(string | Node)[]} said */
  refuse(...said) {
    this.refused.replaceChildren(...said);
    this.refused.hidden = !said.length;
  }

  /** @param {Sent[]} given */
  async take(given) {
    if (this.busy) return;
    this.refuse();
    const files = given.filter(({ path }) => kept(path) && !ARCHIVES.test(path));
    const archives = given.filter(({ path }) => ARCHIVES.test(path));
    const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
    if (!files.length) {
      this.refuse(archives.length ? "Archives are not unpacked here; unpack it first, and drop the folder." : "There is no file in it that can be read.");
      return;
    }
    if (files.length > Number(this.place.dataset.files) || bytes > Number(this.place.dataset.bytes)) {
      this.refuse(`These are ${many(files.length, "file")} with ${size(bytes)}, which is more than can be sent; on this machine, name the folder by its path.`);
      return;
    }
    this.busy = true;
    this.stop = new AbortController();
    this.invite.hidden = true;
    this.sending.hidden = false;
    try { await this.all(files, bytes, archives.length); }
    catch (error) {
      if (!(error instanceof DOMException)) this.refuse(error instanceof Error ? error.message : String(error));
      else say("Stopped; nothing of it was kept.");
    } finally {
      this.busy = false;
      this.invite.hidden = false;
      this.sending.hidden = true;
    }
  }

  /** @param {Sent[]} files @param {number} bytes @param {number} archives */
  async all(files, bytes, archives) {
    const there = this.place.dataset.collection ?? "";
    const tops = new Set(files.map(({ path }) => path.split("/")[0]));
    const first = [...tops][0];
    const name = files.length === 1 ? first.replace(/(.)\.[^.]+$/, "$1") : tops.size === 1 ? first : `${files.length} files`;
    const id = there || (await post("/api/collections", { name })).id;
    /** @type {string[]} */
    const refused = [];
    /** @type {Map<string, number>} */
    const going = new Map();
    let done = 0, gone = 0, next = 0;
    const tell = () => {
      const now = gone + [...going.values()].reduce((sum, some) => sum + some, 0);
      this.bar.value = bytes ? Math.min(1, now / bytes) : done / files.length;
      const line = one("#sending-line", this.place);
      if (line) line.textContent = `${done.toLocaleString("en")} of ${many(files.length, "file")}, ${size(now)} of ${size(bytes)}`;
    };
    tell();
    const work = async () => {
      while (next < files.length) {
        const sent = files[next];
        next += 1;
        try {
          await send(id, sent, (some) => { going.set(sent.path, some); tell(); }, this.stop.signal);
        } catch (error) {
          if (!(error instanceof Refused) || error.status !== 422) { this.stop.abort(); throw error; }
          refused.push(`${sent.path}: ${error.message}`);
        }
        going.delete(sent.path);
        gone += sent.file.size;
        done += 1;
        tell();
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
    const broken = ends.map((end) => (end.status === "rejected" ? end.reason : null)).filter(Boolean);
    if (broken.length || refused.length === files.length) {
      if (!there) await call("DELETE", `/api/collections/${id}`).catch(() => undefined);
      throw broken.find((error) => error instanceof Refused) ?? broken[0] ?? new Refused(422, refused[0]);
    }
    await post(`/api/collections/${id}/look`);
    if (archives) refused.push(`${many(archives, "archive")} not unpacked; unpack first, and drop the folder.`);
    if (refused.length) keep(id, refused);
    location.assign(`/collections/${id}`);
  }
}

/** What was left out is said on the page that follows. @param {string} id @param {string[]} refused */
function keep(id, refused) {
  try { sessionStorage.setItem(`left-out-${id}`, JSON.stringify(refused.slice(0, 20))); } catch { /* said nowhere */ }
}

/** @param {string} id */
function tell(id) {
  try {
    const said = JSON.parse(sessionStorage.getItem(`left-out-${id}`) ?? "[]");
    sessionStorage.removeItem(`left-out-${id}`);
    if (said.length) say(`${many(said.length, "file")} left out. ${said[0]}`, "error");
  } catch { /* nothing kept */ }
}

/** Wait for a look to end, and show what it found. @param {string} id */
async function follow(id) {
  const line = one("#looking-line"), bar = /** @type {HTMLProgressElement | null} */ (one(".look-bar"));
  for (;;) {
    await new Promise((done) => setTimeout(done, 700));
    try {
      const now = await get(`/api/collections/${id}`);
      if (now.state !== "looking") { location.reload(); return; }
      const task = now.progress[0];
      if (line) line.textContent = task ? `${task.name}, ${Math.round(task.seconds)} s so far` : now.sentence;
      if (bar && task && task.total) { bar.max = task.total; bar.value = task.done; }
    } catch (error) {
      if (error instanceof Refused && error.status === 404) { location.assign("/collections"); return; }
      if (line) line.textContent = "The server does not answer; still trying.";
    }
  }
}

const place = one("#drop");
if (place) new Drop(place);

one("#by-path")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target), problem = /** @type {HTMLElement} */ (one("#path-problem"));
  const path = /** @type {HTMLInputElement} */ (one("#path"));
  problem.hidden = true;
  if (!path.value.trim()) { path.focus(); return; }
  const button = /** @type {HTMLButtonElement} */ (one("button", form));
  button.disabled = true;
  try { location.assign(`/collections/${(await post("/api/collections", { source: path.value.trim() })).id}`); }
  catch (error) {
    problem.textContent = error instanceof Error ? error.message : String(error);
    problem.hidden = false;
    path.focus();
  } finally { button.disabled = false; }
});

for (const button of all(".sample")) {
  button.addEventListener("click", () => tried(button, async () => {
    location.assign(`/collections/${(await post("/api/collections", { source: button.dataset.source })).id}`);
  }));
}

const shown = one("#collection");
if (shown) {
  const id = shown.dataset.id ?? "";
  tell(id);
  if (shown.dataset.state === "looking") follow(id);
  const again = one("#look-again");
  again?.addEventListener("click", () => tried(again, async () => { await post(`/api/collections/${id}/look`); location.reload(); }));
  const sure = /** @type {HTMLDialogElement | null} */ (one("#sure"));
  one("#remove")?.addEventListener("click", () => sure?.showModal());
  one("#sure-no")?.addEventListener("click", () => sure?.close());
  const yes = one("#sure-yes");
  yes?.addEventListener("click", () => tried(yes, async () => { await call("DELETE", `/api/collections/${id}`); location.assign("/collections"); }));
}
