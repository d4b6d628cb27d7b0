// For `node --import`: writes the path of each file that is loaded as a module into the file that COUNT_LOADS names, after the process's id.
// Ends once the program writes its first line: what loads after that isn't part of its start.
import { appendFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { fileURLToPath } from "node:url"

let isStarted = false
registerHooks({
  load(url, context, nextLoad) {
    if (!isStarted && url.startsWith("file:"))
      appendFileSync(process.env.COUNT_LOADS, `${process.pid} ${fileURLToPath(url)}\n`)
    return nextLoad(url, context)
  },
})

const { get } = Object.getOwnPropertyDescriptor(process, "stdout")
Object.defineProperty(process, "stdout", {
  configurable: true,
  get() {
    const stream = get.call(process)
    const { write } = stream
    Object.defineProperty(process, "stdout", { value: stream })
    stream.write = (...args) => {
      isStarted = true
      stream.write = write
      return stream.write(...args)
    }
    return stream
  },
})
