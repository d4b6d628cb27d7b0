import { lookup } from "mime-types"
import { z } from "zod"
import { AppError } from "../../shared/contract/errors.ts"
import { sentence } from "../../shared/sentences/sentences.ts"
import { permissionArguments, type SpawnChild } from "../core/children/child.ts"
import {
  chooseInputs,
  hasReadFiles,
  inputLimits,
  mentionsInputs,
  type ChosenInputs,
  type ReadableFile,
} from "./code-interpreter/input-files.ts"
import { findPython } from "./code-interpreter/python-image.ts"
import { outputLimits, type PythonAnswer, type PythonJob } from "./code-interpreter/python-job.ts"
import { ProcessEnded, TookTooLong, createJobRunner } from "./job-runner.ts"
import { defineTool, type Tool, type ToolContext } from "./tool.ts"

const { characters, value, files, bytes, path } = outputLimits
const File = z.object({ name: z.string().min(1).max(path), bytes: z.instanceof(Uint8Array) })

/** Validates a run's result in the box. The limits also apply to a compromised process. */
const pythonAnswer: z.ZodType<PythonAnswer> = z.object({
  output: z.string().max(characters),
  value: z.string().max(value).nullable(),
  error: z.string().max(value).nullable(),
  files: z
    .array(File)
    .max(files)
    .refine((all) => all.reduce((size, file) => size + file.bytes.byteLength, 0) <= bytes),
  notes: z.array(z.string().max(200)).max(2),
})

const limits = {
  startMs: 60_000,
  jobMs: 30_000,
  slots: 2,
  maxWaiting: 8,
  maxWaitingEach: 4,
  idleMs: 120_000,
}
const memoryBytes = 512 * 2 ** 20

export interface CodeInterpreterDeps {
  spawn: SpawnChild
  /** Returns files from the answer's folders that the user may read, up to `max`. */
  readableFiles(
    answer: Pick<ToolContext, "userId" | "folderIds" | "generated" | "filter">,
    max: number,
  ): Promise<ReadableFile[]>
  /** Timeout of one run, in ms. Default: 30 s. */
  jobMs?: number
}

/** Runs Python without network access, files or programs. Each run gets a fresh process. */
export function createCodeInterpreter({
  spawn,
  readableFiles,
  jobMs = limits.jobMs,
}: CodeInterpreterDeps): Tool & AsyncDisposable {
  const python = createJobRunner<PythonJob, PythonAnswer>({
    ...limits,
    jobMs,
    processes: "fresh",
    answer: pythonAnswer,
    spawn,
    child: () => ({
      entry: "python",
      env: {},
      execArgv: [
        ...permissionArguments({ threads: true }),
        "--disallow-code-generation-from-strings",
        "--max-old-space-size=256",
      ],
      args: [findPython(), String(memoryBytes), String(2 * jobMs)],
      onOutput: () => undefined, // ignore everything that hostile code prints
    }),
  })
  const tool = defineTool({
    key: "codeInterpreter",
    description:
      "Runs Python 3.11 in a sandbox: the standard library only, no network, packages or threads, nothing kept between calls. Returns " +
      "what was printed and the value of the last expression; files that the code writes to its directory are shown to the user. " +
      "Files of the chat and of its folders can be read at in/<folder>/<path>.",
    effects: ["exec"],
    result: { trusted: true, private: false },
    getLabel: (content) => (hasReadFiles(content) ? { trusted: false, private: true } : null),
    args: z.object({ code: z.string().min(1).max(100_000).meta({ description: "Python source" }) }),
    async run({ code }, context) {
      let chosen: ChosenInputs = { inputs: [], given: 0, notes: [] }
      const makeJob = async () => {
        if (mentionsInputs(code))
          chosen = await chooseInputs(code, await readableFiles(context, inputLimits.listed + 1))
        return { code, inputs: chosen.inputs }
      }
      const answer = await python
        .run(makeJob, context)
        .catch(explain(jobMs))
        .catch((error: unknown) => {
          // The error itself may reveal what the code read.
          if (chosen.inputs.length > 0 && error instanceof AppError) return error
          throw error
        })
      if (answer instanceof AppError) return { content: { filesRead: chosen.given, error: answer.message } }
      const { output, value, error, files } = answer
      const notes = [...chosen.notes, ...answer.notes]
      return {
        content: {
          ...(chosen.inputs.length > 0 && { filesRead: chosen.given }),
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
  return Object.assign(tool, { [Symbol.asyncDispose]: () => python[Symbol.asyncDispose]() })
}

const explain =
  (jobMs: number) =>
  (error: unknown): never => {
    if (error instanceof TookTooLong) {
      throw new AppError("unprocessable", sentence("tools.code_too_slow", { count: jobMs / 1000 }), {
        cause: error,
      })
    }
    if (error instanceof ProcessEnded) {
      throw new AppError("unprocessable", sentence("tools.code_too_large"), {
        cause: error,
      })
    }
    throw error
  }
