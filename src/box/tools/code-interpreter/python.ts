import { harness } from "./harness.ts"
import { readOutputFiles } from "./output-files.ts"
import { outputLimits, type PythonAnswer, type PythonInput, type PythonJob } from "./python-job.ts"
import { compilePython } from "./python-image.ts"
import {
  createDirectory,
  FileQuota,
  ReadOnlyFile,
  MemoryDirectory,
  WritableFile,
} from "./wasi/memory-files.ts"
import { runProgram, type Program } from "./wasi/run-program.ts"

/** Limits for the files that a run writes, in addition to Python's memory. */
const fileBounds = { bytes: 128 * 2 ** 20, entries: 10_000 }
const answerBounds = { bytes: 2 ** 20, entries: 4 }

export interface Python {
  run(job: PythonJob): PythonAnswer
}

/** Prepares Python with its memory limited to this many bytes. Each run uses a new instance. */
export function openPython(path: string, memoryBytes: number): Python {
  const module = compilePython(path, memoryBytes)
  const python = { run: (job: PythonJob) => runOnce(module, job) }
  // compiles everything that every run needs in advance
  python.run({
    code: "import csv, datetime, decimal, io, json, math, random, re, statistics, time\n1 / 0",
    inputs: [],
  })
  return python
}

/**
 * Python's library is built into the program. Code runs in `/home/user`, and `/tmp` is free to use. Nothing else is writable except `/run`,
 * where the harness reports the result.
 */
function runOnce(module: WebAssembly.Module, { code, inputs }: PythonJob): PythonAnswer {
  const quota = new FileQuota(fileBounds)
  const [home, scratch] = [new MemoryDirectory(quota), new MemoryDirectory(quota)]
  // separate quota, so that a program that has used up its files can still report a result
  const answerDirectory = new MemoryDirectory(new FileQuota(answerBounds))
  const root = createDirectory({ home: createDirectory({ user: home }), tmp: scratch, run: answerDirectory })
  if (inputs.length > 0) home.place("in", inputDirectory(inputs))
  const output = createOutput(outputLimits.characters)
  const program = {
    module,
    // isolated mode: neither the directory nor the environment affects imports
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
    value: broken === null ? readText(answerDirectory, "value") : null,
    error: broken ?? readText(answerDirectory, "error"),
    files,
    notes,
  }
}

function inputDirectory(inputs: readonly PythonInput[]): MemoryDirectory {
  const root = createDirectory({})
  for (const { path, bytes, size } of inputs) {
    const names = path.split("/")
    const last = names.pop() ?? path
    let directory = root
    for (const name of names) {
      const existing = directory.get(name)
      const next = existing instanceof MemoryDirectory ? existing : createDirectory({})
      if (next !== existing) directory.place(name, next)
      directory = next
    }
    directory.place(last, new ReadOnlyFile(bytes, size))
  }
  return root
}

/** Returns an error if Python didn't finish. Code can break Python itself, for example with handmade bytecode. */
function runToEnd(program: Program): string | null {
  try {
    const code = runProgram(program)
    return code === 0 ? null : `Python ended with the exit code ${code}.`
  } catch {
    return "Python itself broke while running this."
  }
}

/** Reads what the harness, or the code itself, wrote there. */
function readText(answerDirectory: MemoryDirectory, name: string): string | null {
  const file = answerDirectory.get(name)
  if (!(file instanceof WritableFile)) return null
  const text = new TextDecoder().decode(file.bytes.subarray(0, 4 * outputLimits.value))
  return text.slice(0, outputLimits.value)
}

/** Keeps the first `characters` characters of the output. */
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
