import { createRequire } from "node:module"
import { setImmediate as turn } from "node:timers/promises"

/** In dependency order. The Arrow variant is the one that LanceDB itself loads. */
const parts = ["apache-arrow/vector", "apache-arrow", "@lancedb/lancedb"]

/** Loads LanceDB in steps, so that other work can run in between. Loading takes 70 ms of processor time. */
export async function loadLanceTable() {
  const load = createRequire(import.meta.url)
  for (const part of parts) {
    await turn()
    load(part)
  }
  return import("./lance-table.ts")
}
