import "../../core/children/without-network.ts"
import process from "node:process"
import { Script } from "node:vm"
import { connectToParent } from "../../core/children/parent.ts"
import { startWatchdog } from "../../core/children/watchdog.ts"
import type { JobMessage } from "../job-process.ts"
import { lockDown } from "./lock-down.ts"
import type { PythonAnswer, PythonJob } from "./python-job.ts"
import { openPython } from "./python.ts"

// Entry of a process that runs one piece of Python and is ended then. Its arguments are Python's file, the most memory
// that Python may have, in bytes, and the longest that it may run, in ms.

const parent = connectToParent<PythonJob, JobMessage<PythonAnswer>>()
const [path = "", memoryBytes = 0, longestMs = 0] = process.argv.slice(2)

// code that never ends lets nothing else notice that the parent is gone; its memory has a limit of its own
startWatchdog({ bytes: Infinity })
const python = openPython(path, Number(memoryBytes))
const evaluate = new Script("run()")
parent.onMessage((job) => {
  Object.assign(globalThis, {
    run: () => parent.send({ type: "answer", answer: python.run(job) }),
  })
  // Its parent ends it long before.
  evaluate.runInThisContext({ timeout: Number(longestMs) })
})
lockDown()
parent.send({ type: "ready" })
