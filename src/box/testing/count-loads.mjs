// For `node --import`: writes the path of each file that is loaded as a module into the file that COUNT_LOADS names, after the process's id.
// Stops when the program writes its first line: what loads after that isn't part of its start.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"
import atFirstLine from "./at-first-line.cjs"

let isStarted = false
registerHooks({
  load(url, context, nextLoad) {
    if (!isStarted && url.startsWith("file:"))
      appendFileSync(process.env.COUNT_LOADS, `${process.pid} ${fileURLToPath(url)}\n`)
    return nextLoad(url, context)
  },
})
atFirstLine(() => (isStarted = true))
