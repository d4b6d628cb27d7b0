import { constants } from "node:fs"
import process from "node:process"
import { connectToParent } from "../../core/parent.ts"
import { startWatchdog } from "../../parsers/watchdog.ts"
import type { JobMessage } from "../job-process.ts"
import { lockDown } from "./lock-down.ts"
import type { PythonAnswer, PythonJob } from "./python-job.ts"
import { openPython } from "./python.ts"

// Entry of a process that runs one piece of Python and is ended then. Its arguments are the most memory, in bytes, that
// Python may have and that the whole process may have.

const parent = connectToParent<PythonJob, JobMessage<PythonAnswer>>()
const [pythonBytes = 0, processBytes = 0] = process.argv.slice(2).map(Number)
const pageBytes = 65_536

startWatchdog({ bytes: processBytes })
limitPythonMemory()
// the permission model forbids the real one, of which the runtime only wants this
Object.assign(process, { binding: () => ({ fs: constants }) })

// Python shows it as its own
process.argv.splice(1, Infinity, "python")

const run = await openPython()
parent.onMessage(({ code }) => parent.send({ type: "answer", answer: run(code) }))
lockDown()
parent.send({ type: "ready" })

/** Python's allocator then fails in the way that Python knows. */
function limitPythonMemory(): void {
  const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: WasmMemory } } })
    .WebAssembly
  const { grow } = Memory.prototype
  Memory.prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * pageBytes > pythonBytes) throw new RangeError("out of memory")
    return grow.call(this, pages)
  }
}

/** What Node's types lack. */
interface WasmMemory {
  buffer: ArrayBuffer
  grow(pages: number): number
}
