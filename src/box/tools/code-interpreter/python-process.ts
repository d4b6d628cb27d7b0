import "../../core/children/without-network.ts"
import process from "node:process"
import { Script } from "node:vm"
import { connectToParent } from "../../core/children/parent.ts"
import { startWatchdog } from "../../core/children/heartbeat.ts"
import type { JobMessage } from "../job-runner.ts"
import { lockDown } from "./lock-down.ts"
import type { PythonAnswer, PythonJob } from "./python-job.ts"
import { openPython } from "./python.ts"

// Entry point of a process that runs one Python job and is then ended. Its arguments are Python's file, the maximum memory for Python in
// bytes, and the maximum running time in ms.

const parent = connectToParent<PythonJob, JobMessage<PythonAnswer>>()
const [path = "", memoryBytes = 0, timeoutMs = 0] = process.argv.slice(2)

// endless code prevents any other check that the parent is gone; memory has its own limit
startWatchdog({ bytes: Infinity })
const python = openPython(path, Number(memoryBytes))
const evaluate = new Script("run()")
parent.onMessage((job) => {
  Object.assign(globalThis, {
    run: () => parent.send({ type: "answer", answer: python.run(job) }),
  })
  // The parent normally ends it long before this timeout.
  evaluate.runInThisContext({ timeout: Number(timeoutMs) })
})
lockDown()
parent.send({ type: "ready" })
