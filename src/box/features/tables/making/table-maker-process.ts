import "../../../core/children/without-network.ts"
import SqliteDatabase from "better-sqlite3"
import { startWatchdog } from "../../../core/children/heartbeat.ts"
import { dropRights } from "../../../core/children/sandbox/give-up-rights.ts"
import { connectToParent } from "../../../core/children/parent.ts"
import { detectType } from "../../../parsers/document/detect-type.ts"
import { fileFailure, failure, ParseFailure, type ParserInput } from "../../../parsers/parser.ts"
import { openDocument } from "../../../parsers/document/opened-document.ts"
import { disablePasswordPrompt } from "../../../parsers/document/document-blocks.ts"
import { createProcessorTime } from "../../../parsers/process/processor-time.ts"
import type { JobMessage } from "../../../tools/job-runner.ts"
import type { MadeTable } from "../keeping/kept-tables.ts"
import { makeTables } from "./make-tables.ts"

// Entry point of the process that creates tables of documents, one at a time. Its argument is the resident memory limit, in bytes, above
// which it exits.

export interface MakeJob {
  input: ParserInput
  /** Path of the database to write. No file exists there yet. */
  database: string
  /** Maximum processor time, in ms. */
  processorMs: number
  maxBytes: number
}

/** Describes a problem with the document, for the log and for users. */
export type MakeAnswer = { tables: MadeTable[] } | { problem: string; why: "limits" | "unreadable" }

/** A query reads whole tables, so larger pages need fewer system calls. */
const pageBytes = 16_384

const parent = connectToParent<MakeJob, JobMessage<MakeAnswer>>()
const processorTime = createProcessorTime()
startWatchdog({ bytes: Number(process.argv[2]), processorTime: processorTime.end })
// Libraries report every irregularity of a damaged file there.
Object.assign(console, { error: () => undefined, warn: () => undefined })
new SqliteDatabase(":memory:").close() // Loads the native code now, because it can't be loaded later.
dropRights()
parent.onMessage((job) => void answer(job))
parent.send({ type: "ready" })

async function answer(job: MakeJob): Promise<void> {
  processorTime.allow(job.processorMs)
  const outcome = await make(job).catch((thrown: unknown): MakeAnswer => {
    const error = disablePasswordPrompt(thrown)
    const known = error instanceof ParseFailure ? error : fileFailure(error)
    const { code } = error as { code?: unknown }
    if (!known && code !== "SQLITE_FULL") throw error // An internal error: this process isn't trusted with another document.
    return known
      ? { problem: known.message, why: "unreadable" }
      : { problem: "There is too much in it.", why: "limits" }
  })
  processorTime.allow(Infinity)
  parent.send({ type: "answer", answer: outcome })
}

async function make({ input, database: path, maxBytes }: MakeJob): Promise<MakeAnswer> {
  await using opened = await openDocument(input)
  const detection = await detectType(opened.input.file, input.name)
  const sheets = "format" in detection ? await detection.format.sheets?.() : undefined
  if (!sheets) return { tables: [] }
  const database = new SqliteDatabase(path)
  try {
    database.pragma(`page_size = ${pageBytes}`)
    database.pragma("synchronous = OFF") // No one reads an unfinished database.
    database.pragma(`max_page_count = ${Math.floor(maxBytes / pageBytes)}`)
    database.exec("BEGIN")
    // Sums over the readable part of a damaged file would be wrong.
    const note = () => {
      throw failure("workbook_damaged")
    }
    const tables = await makeTables(database, () => sheets.read(opened.input, { note }))
    database.exec("COMMIT")
    return { tables }
  } finally {
    database.close()
  }
}
