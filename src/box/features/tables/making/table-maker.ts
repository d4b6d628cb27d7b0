import { mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { everythingIn, permissionArguments, type SpawnChild } from "../../../core/children/child.ts"
import { ParseFailure, type ParserInput } from "../../../parsers/parser.ts"
import { lendDocument, type Lent } from "../../../parsers/document/opened-document.ts"
import { ProcessEnded, TookTooLong, createJobRunner } from "../../../tools/job-runner.ts"
import { MadeTable } from "../keeping/kept-tables.ts"
import type { MakeAnswer, MakeJob } from "./table-maker-process.ts"

/** Tables of one document, or why there are none, for the log and for users. */
export type MadeTables =
  | { tables: MadeTable[]; problem: null }
  | { tables: []; problem: string; why: "limits" | "unreadable" }

export interface TableMaker extends AsyncDisposable {
  /**
   * Creates a document's tables and moves their database to `path`, if there are any. Throws like `JobRunner` when the job couldn't run.
   */
  make(userId: string, input: ParserInput, path: string, signal: AbortSignal): Promise<MadeTables>
}

const limits = {
  startMs: 60_000,
  jobMs: 300_000,
  slots: 2,
  slotsEach: 1, // Lets one user's tables be created while another user's are.
  maxWaiting: 100,
  maxWaitingEach: 50,
  idleMs: 30_000,
}
const usualProcessorMs = 60_000
const memoryBytes = 2 ** 30
const heapMegabytes = 768
const maxBytes = 2 ** 31

const answer: z.ZodType<MakeAnswer> = z.union([
  z.object({ tables: z.array(MadeTable) }),
  z.object({ problem: z.string().max(1000), why: z.enum(["limits", "unreadable"]) }),
])

/** @param directory where documents are lent to the process and where it writes; it is empty at startup */
export function createTableMaker(
  spawn: SpawnChild,
  directory: string,
  processorMs = usualProcessorMs,
): TableMaker {
  let jobs = 0
  const runner = createJobRunner<MakeJob, MakeAnswer>({
    ...limits,
    processes: "kept",
    answer,
    spawn,
    child: () => ({
      entry: "table-maker",
      env: {},
      execArgv: [
        ...permissionArguments({ read: [directory, everythingIn(directory)], threads: true, addons: true }),
        `--max-old-space-size=${heapMegabytes}`,
      ],
      args: [String(memoryBytes)],
    }),
  })
  return {
    async make(userId, input, path, signal) {
      const number = ++jobs
      const database = join(directory, `${number}.sqlite`)
      let lent: Lent | undefined
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        const made = await runner.run(
          async () => {
            lent = await lendDocument(input, join(directory, `${number}.document`))
            return { input: lent.input, database, processorMs, maxBytes }
          },
          { userId, signal },
        )
        if ("problem" in made) return { tables: [], problem: made.problem, why: made.why }
        if (made.tables.length > 0) await rename(database, path)
        return { tables: made.tables, problem: null }
      } catch (error) {
        return { tables: [], ...getProblem(error) }
      } finally {
        lent?.[Symbol.dispose]()
        // A process that was killed while writing leaves both files.
        for (const left of [database, `${database}-journal`]) await rm(left, { force: true })
      }
    },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  }
}

/** Returns the problem if it would occur again with the same document. Throws any other error. */
function getProblem(error: unknown): Pick<Extract<MakeAnswer, { problem: string }>, "problem" | "why"> {
  if (error instanceof ParseFailure) return { problem: error.message, why: "unreadable" }
  if (error instanceof TookTooLong || error instanceof ProcessEnded)
    return { problem: "It took too long, or too much memory.", why: "limits" }
  throw error
}
