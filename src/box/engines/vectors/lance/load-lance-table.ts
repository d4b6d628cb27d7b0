import { createRequire } from "node:module"
import { setImmediate as turn } from "node:timers/promises"

/** In the order they need each other. Of Arrow, the variant that LanceDB loads itself. */
const parts = ["apache-arrow/vector", "apache-arrow", "@lancedb/lancedb"]

/** Loads LanceDB, which takes 70 ms of processor time, in parts: everything else has its turn in between. */
export async function loadLanceTable() {
  const load = createRequire(import.meta.url)
  for (const part of parts) {
    await turn()
    load(part)
  }
  return import("./lance-table.ts")
}
