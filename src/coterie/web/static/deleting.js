// @ts-check
// Deleting a run: asked first, and tried again while its work comes to a halt.

import { call, Refused } from "./base.js";
import { confirmed } from "./confirm.js";

const TRIES = 40; // times that a run which comes to a halt is asked for again, a second or more apart

/**
 * Ask whether a run shall go, and delete it.
 * @param {string} name @returns {Promise<boolean>} whether it is gone
 */
export async function deleted(name) {
  const agreed = await confirmed(`Delete ${name}?`, "Everything kept for this run is removed: its groups, edits and report. The files it was made from stay where they are.", "Delete");
  if (!agreed) return false;
  for (let tried = 1; ; tried += 1) {
    try {
      await call("DELETE", `/api/runs/${encodeURIComponent(name)}`);
      return true;
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 409 || tried === TRIES) throw error;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}
