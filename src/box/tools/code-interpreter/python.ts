import { registerHooks } from "node:module"
import { loadPyodide } from "pyodide"
import { harness } from "./harness.ts"
import { readOutputFiles } from "./output-files.ts"
import { outputLimits, type PythonAnswer } from "./python-job.ts"

type Result = [value: string | null | undefined, error: string | null | undefined]

/** Starts Python, which takes about a second. The answer runs one piece of code. */
export async function openPython(): Promise<(code: string) => PythonAnswer> {
  const output = createOutput()
  const hooks = registerHooks({
    resolve: (name, context, next) => (name === "ws" ? noSockets : next(name, context)),
  })
  // Python would get JavaScript's globals otherwise
  const python = await loadPyodide({ jsglobals: Object.create(null) as object, env: {} })
  hooks.deregister()
  python.setStdin({ stdin: () => null })
  for (const stream of [python.setStdout, python.setStderr]) {
    stream.call(python, { isatty: false, write: output.write })
  }
  const run = python.runPython(harness) as (code: string, most: number) => { toJs(): Result }
  python.unregisterJsModule("js")
  python.unregisterJsModule("pyodide_js")
  const { FS } = python

  return (code) => {
    const result = runToEnd(() => run(code, outputLimits.value).toJs())
    const { files, note } = readOutputFiles(FS, directory)
    const notes = [...(output.isCut() ? ["The output was cut."] : []), ...(note ? [note] : [])]
    return { output: output.text(), value: result[0] ?? null, error: result[1] ?? null, files, notes }
  }
}

const directory = "/home/user"

/** Code can break Python itself, such as by calling its inner functions with wrong arguments. */
function runToEnd(run: () => Result): Result {
  try {
    return run()
  } catch {
    return [null, "Python itself broke while running this."]
  }
}

/** Pyodide loads this package and only needs it for sockets. */
const noSockets = { url: "data:text/javascript,export default {}", shortCircuit: true }

/** Keeps the beginning of what is printed. */
function createOutput() {
  const decoder = new TextDecoder()
  let text = ""
  let cut = false
  return {
    write(bytes: Uint8Array): number {
      if (text.length < outputLimits.characters) text += decoder.decode(bytes, { stream: true })
      else cut = true
      return bytes.length
    },
    isCut: () => cut || text.length > outputLimits.characters,
    text: () => text.slice(0, outputLimits.characters),
  }
}
