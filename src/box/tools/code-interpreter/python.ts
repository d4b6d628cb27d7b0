import { compilePython } from "./python-image.ts"
import {
  outputLimits,
  type PythonFile,
  type PythonAnswer,
  type PythonInput,
  type PythonJob,
} from "./python-job.ts"
import {
  MemoryDirectory,
  WritableFile,
  createDirectory,
  FileQuota,
  ReadOnlyFile,
} from "./wasi/memory-files.ts"
import { runProgram, type Program } from "./wasi/run-program.ts"

/**
 * Runs the code from its standard input and writes the result to `/run`. The code can modify the harness, which is safe because the harness
 * protects nothing. Modules that aren't always needed are imported where they are used, because an import takes time. Sleeping and asyncio
 * get their own way to wait, because this Python's C library has none.
 */
const harness = (maxCharacters: number) => `
import _ast, _thread, os, sys, time

def sleep(seconds):
    if seconds < 0: raise ValueError("sleep length must be non-negative")
    lock = _thread.allocate_lock()
    lock.acquire()
    lock.acquire(True, seconds)

time.sleep = sleep

def prepare_asyncio():
    import asyncio, selectors
    class Selector(selectors._BaseSelectorImpl):
        def select(self, timeout=None):
            if timeout is None: raise RuntimeError("This would wait for ever: nothing else is running.")
            if timeout > 0: sleep(timeout)
            return []
    class EventLoop(asyncio.SelectorEventLoop):
        def __init__(self): super().__init__(Selector())
        def _make_self_pipe(self): pass
        def _close_self_pipe(self): pass
        def _write_to_self(self): pass
    class Policy(asyncio.DefaultEventLoopPolicy):
        _loop_factory = EventLoop
    asyncio.set_event_loop_policy(Policy())

def explain(error, code):
    import linecache, traceback
    linecache.cache["main.py"] = (len(code), None, code.splitlines(True), "main.py")
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename != "main.py":
        frame = frame.tb_next
    text = "".join(traceback.format_exception(type(error), error, frame))
    return text.replace("/wlr/build-staging/python/v3.11.3-aio/checkout/Lib/", "/usr/local/lib/python3.11/")

def say(name, text):
    with open("/run/" + name, "w", errors="backslashreplace") as file: file.write(text)

def run(code):
    try:
        if "asyncio" in code: prepare_asyncio()
        # what unittest, doctest and pickle look into
        main = sys.modules["__main__"] = type(sys)("__main__")
        variables = main.__dict__
        tree = compile(code, "main.py", "exec", 0x400) # ast.PyCF_ONLY_AST
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
        exec(compile(tree, "main.py", "exec"), variables)
        if last is None: return
        value = eval(compile(_ast.Expression(last.value), "main.py", "eval"), variables)
        if value is not None and not code.rstrip().endswith(";"): say("value", repr(value)[:${maxCharacters}])
    except SystemExit as leaving:
        if leaving.code not in (None, 0): say("error", "SystemExit: " + str(leaving.code))
    except BaseException as error:
        say("error", explain(error, code)[-${maxCharacters}:])
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            pass

os.chdir("/home/user")
run(sys.stdin.buffer.read().decode())
os._exit(0)
`

/** Returns the files that code left in a directory, sorted by name, and a note about what was left out. */
function readOutputFiles(directory: MemoryDirectory): { files: PythonFile[]; note?: string } {
  const files: PythonFile[] = []
  let size = 0
  let leftOut = 0
  for (const { name, bytes } of written(directory, "")) {
    const isTooMuch = files.length >= outputLimits.files || size + bytes.byteLength > outputLimits.bytes
    if (isTooMuch || name.length > outputLimits.path) leftOut++
    else {
      size += bytes.byteLength
      files.push({ name, bytes: bytes.slice() })
    }
  }
  const megabytes = outputLimits.bytes / 1e6
  if (leftOut === 0) return { files }
  return {
    files,
    note: `${leftOut} files were left out: at most ${outputLimits.files} of ${megabytes} MB in all are shown, with paths of up to ${outputLimits.path} characters.`,
  }
}

function* written(directory: MemoryDirectory, path: string): Generator<PythonFile> {
  const names = [...directory.entries.keys()].sort()
  for (const name of names) {
    const node = directory.get(name)
    if (node instanceof MemoryDirectory) yield* written(node, `${path}${name}/`)
    else if (node instanceof WritableFile) yield { name: `${path}${name}`, bytes: node.bytes }
  }
}

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
    return "Python itself failed while running this."
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
