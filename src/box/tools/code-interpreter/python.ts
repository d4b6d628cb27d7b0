import { harness } from "./harness.ts"
import { readOutputFiles } from "./output-files.ts"
import { outputLimits, type PythonAnswer, type PythonInput, type PythonJob } from "./python-job.ts"
import { compilePython } from "./python-image.ts"
import { directoryOf, FileQuota, GivenFile, MemoryDirectory, WrittenFile } from "./wasi/memory-files.ts"
import { runProgram, type Program } from "./wasi/run-program.ts"

/** Files of a run beside Python's memory: those that it writes, and how many. */
const fileBounds = { bytes: 128 * 2 ** 20, entries: 10_000 }
const answerBounds = { bytes: 2 ** 20, entries: 4 }

export interface Python {
  run(job: PythonJob): PythonAnswer
}

/** Makes Python ready, whose memory never grows beyond these bytes. Each run is an instance of its own. */
export function openPython(path: string, memoryBytes: number): Python {
  const module = compilePython(path, memoryBytes)
  const python = { run: (job: PythonJob) => runOnce(module, job) }
  // so that what every run needs is compiled by then
  python.run({
    code: "import csv, datetime, decimal, io, json, math, random, re, statistics, time\n1 / 0",
    inputs: [],
  })
  return python
}

/** Its library is in the program. `/home/user` is where code runs, `/tmp` for whatever. Nothing else takes anything but `/run`, where it says what came of the code. */
function runOnce(module: WebAssembly.Module, { code, inputs }: PythonJob): PythonAnswer {
  const quota = new FileQuota(fileBounds)
  const [home, scratch] = [new MemoryDirectory(quota), new MemoryDirectory(quota)]
  // of its own: a program that has used up its files can still say so
  const said = new MemoryDirectory(new FileQuota(answerBounds))
  const root = directoryOf({ home: directoryOf({ user: home }), tmp: scratch, run: said })
  if (inputs.length > 0) home.place("in", inputDirectory(inputs))
  const output = createOutput(outputLimits.characters)
  const program = {
    module,
    // isolated: neither its directory nor an environment says what it imports
    args: ["python", "-I", "-S", "-B", "-u", "-X", "utf8", "-c", harness(outputLimits.value)],
    input: new TextEncoder().encode(code),
    output,
    root,
  }
  const broken = runToEnd(program)
  const { files, note } = readOutputFiles(home)
  const notes = [...(output.isCut() ? ["The output was cut."] : []), ...(note ? [note] : [])]
  return {
    output: output.text(),
    value: broken === null ? readText(said, "value") : null,
    error: broken ?? readText(said, "error"),
    files,
    notes,
  }
}

function inputDirectory(inputs: readonly PythonInput[]): MemoryDirectory {
  const root = directoryOf({})
  for (const { path, bytes, size } of inputs) {
    const names = path.split("/")
    const last = names.pop() ?? path
    let directory = root
    for (const name of names) {
      const there = directory.get(name)
      const next = there instanceof MemoryDirectory ? there : directoryOf({})
      if (next !== there) directory.place(name, next)
      directory = next
    }
    directory.place(last, new GivenFile(bytes, size))
  }
  return root
}

/** What is wrong, if Python didn't come to its end: code can break it, such as by making bytecode by hand. */
function runToEnd(program: Program): string | null {
  try {
    const code = runProgram(program)
    return code === 0 ? null : `Python ended with the exit code ${code}.`
  } catch {
    return "Python itself broke while running this."
  }
}

/** What the harness says, or whatever code has written there. */
function readText(said: MemoryDirectory, name: string): string | null {
  const file = said.get(name)
  if (!(file instanceof WrittenFile)) return null
  const text = new TextDecoder().decode(file.bytes.subarray(0, 4 * outputLimits.value))
  return text.slice(0, outputLimits.value)
}

/** Keeps the beginning of what is written. */
function createOutput(characters: number) {
  const decoder = new TextDecoder()
  let text = ""
  let cut = false
  return {
    write(bytes: Uint8Array): void {
      if (text.length < characters)
        text += decoder.decode(bytes.subarray(0, 4 * characters), { stream: true })
      else cut ||= bytes.byteLength > 0
    },
    isCut: () => cut || text.length > characters,
    text: () => text.slice(0, characters),
  }
}
