import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { lookup } from "mime-types"
import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { childEntryPath, type SpawnChild } from "../core/child.ts"
import type { PythonAnswer, PythonJob } from "./code-interpreter/python-job.ts"
import { ProcessEnded, TookTooLong } from "./job-process.ts"
import { createJobRunner } from "./job-runner.ts"
import { defineTool, type Tool } from "./tool.ts"

const limits = { startMs: 60_000, jobMs: 30_000, places: 2, maxWaiting: 8, idleMs: 120_000 }
const pythonBytes = 512 * 2 ** 20
const processBytes = 800 * 2 ** 20

export interface CodeInterpreterDeps {
  spawn: SpawnChild
  /** Time for one run, in ms: 30 s unless given. */
  jobMs?: number
}

/** Python without a network, files or programs. Each run has a process that nobody used before. */
export function createCodeInterpreter({
  spawn,
  jobMs = limits.jobMs,
}: CodeInterpreterDeps): Tool & AsyncDisposable {
  const python = createJobRunner<PythonJob, PythonAnswer>({
    ...limits,
    jobMs,
    processes: "fresh",
    start: () =>
      spawn({
        entry: "python",
        env: {},
        execArgv: restrictions(),
        args: [String(pythonBytes), String(processBytes)],
        onOutput: () => undefined, // whatever hostile code can make it print
      }),
  })
  const tool = defineTool({
    key: "codeInterpreter",
    description:
      "Runs Python 3 in a sandbox: the standard library only, no network, no packages, nothing kept between calls. Returns " +
      "what was printed and the value of the last expression; files that the code writes to its directory are shown to the user.",
    effects: ["exec"],
    result: { trusted: true, private: false },
    args: z.object({ code: z.string().min(1).max(100_000).meta({ description: "Python source" }) }),
    async run({ code }, { signal }) {
      const { output, value, error, files, notes } = await python.run({ code }, signal).catch(explain(jobMs))
      return {
        content: {
          ...(output !== "" && { output }),
          ...(value !== null && { value }),
          ...(error !== null && { error }),
          ...(files.length > 0 && { files: files.map(({ name }) => name) }),
          ...(notes.length > 0 && { notes }),
        },
        parts: files.map(({ name, bytes }) => ({
          type: "file" as const,
          name,
          mediaType: lookup(name) || "application/octet-stream",
          bytes,
        })),
      }
    },
  })
  return { ...tool, [Symbol.asyncDispose]: () => python[Symbol.asyncDispose]() }
}

/** Node's permission model: this program's own code and Python's may be read, and nothing else is allowed. */
function restrictions(): string[] {
  const entry = childEntryPath("python")
  const program = entry.endsWith(".ts") ? join(dirname(entry), "../../..") : dirname(entry)
  const runtime = dirname(createRequire(import.meta.url).resolve("pyodide"))
  return [
    "--permission",
    ...[program, runtime].map((directory) => `--allow-fs-read=${join(directory, "/")}*`),
    "--allow-worker", // for the watchdog, which starts before any of the code
    "--disable-warning=PERM0006",
    "--disallow-code-generation-from-strings",
    "--max-old-space-size=256",
  ]
}

const explain =
  (jobMs: number) =>
  (error: unknown): never => {
    if (error instanceof TookTooLong) {
      throw new AppError("unprocessable", `The code ran longer than ${jobMs / 1000} s and was ended.`, {
        cause: error,
      })
    }
    if (error instanceof ProcessEnded) {
      throw new AppError("unprocessable", "The code needed more memory than it may have, and was ended.", {
        cause: error,
      })
    }
    throw error
  }
