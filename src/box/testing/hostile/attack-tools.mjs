// Tools of the attacks, which are no part of the box.
import { createRequire } from "node:module"
import { dirname } from "node:path"

export const require = createRequire(import.meta.url)
export const builtin = (name) => process.getBuiltinModule(name)
export const settled = (emitter, ...events) =>
  new Promise((resolve) => {
    for (const each of events) emitter.once(each, (value) => resolve(String(value)))
  })
/** A new realm in a thread, in which nothing is disabled. */
export const inThread = (Worker, code, options) =>
  settled(new Worker(code, { eval: true, ...options }), "message", "error", "exit")

/** One that children may read, because the program's own code is there. */
export const aDirectory = dirname(require.resolve("yauzl"))
