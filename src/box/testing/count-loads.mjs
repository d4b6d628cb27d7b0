// For `node --import`: writes the path of each file that is loaded as a module into the file that COUNT_LOADS names, after the process's id.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith("file:"))
      appendFileSync(process.env.COUNT_LOADS, `${process.pid} ${fileURLToPath(url)}\n`)
    return nextLoad(url, context)
  },
})
