import type { AskedFile, ChatRequest } from "../../../../../shared/contract/chat.ts"
import { AppError, invalidField } from "../../../../../shared/contract/errors.ts"
import type { Notice } from "../../../../../shared/contract/folders.ts"
import { noticeOf, sentence } from "../../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../../engines/engine.ts"
import { estimateReading, measureTexts, type EstimateDeps } from "./estimate.ts"
import { folderOf, type ReadingScope } from "../library.ts"
import { columnsOf, taskOf } from "../task-of.ts"
import { pointsAtAttached, wantsList, wantsWhole, wantsWholeOfAttached } from "./wants-whole.ts"

export interface Whether {
  /** null: the question is answered from passages. */
  whole: WholeDecision | null
  /** What the user is told where it is. */
  notices: Notice[]
}

export interface WholeDecision {
  /** The files that are read; null: all of the folders. */
  fileIds: readonly string[] | null
  list: boolean
  /** Columns of the table that is asked for; null: an answer in words is. */
  columns: string[] | null
  /** Said where the box itself decided on it; null where it was asked for. */
  notice: Notice | null
}

export interface AskedReading extends ReadingScope {
  /** Files that are attached to the question. */
  attached: readonly string[]
  /** Folders beside the chat's own are asked, too. */
  besideFolders: boolean
  question: string
  reading: NonNullable<ChatRequest["reading"]>
  /** Those of a table that the request asks for; the question itself may ask for one, too. */
  columns: string[] | null
  /** Asked for where all may be read; null: no model may answer. */
  engine(): Promise<ChatEngine | null>
}

/** The files that a question names, as they are now. Throws `not_found` for those that the user may not read. */
export async function findAsked(
  { library }: Pick<EstimateDeps, "library">,
  userId: string,
  fileIds: readonly string[],
): Promise<AskedFile[]> {
  const found: AskedFile[] = []
  const missing: string[] = []
  for (const id of new Set(fileIds)) {
    const file = await library.file(userId, id)
    if (file) found.push({ fileId: file.id, vectorId: folderOf(file), name: file.name })
    else missing.push(id)
  }
  if (missing.length > 0)
    throw new AppError("not_found", sentence("reading.no_such_file"), { details: missing })
  return found
}

/**
 * Whether a question is answered from all of what it is about. Throws `too_much_to_read` where that was wanted and is too
 * much, and `validation` where there is nothing to read.
 */
export async function decideReading(deps: EstimateDeps, wanted: AskedReading): Promise<Whether> {
  const { question, reading, vectorIds } = wanted
  const fileIds = filesToRead(wanted)
  const asked = { ...wanted, fileIds }
  const list = wantsList(question)
  const columns = asked.columns ?? columnsOf(question)
  if (reading === "whole") {
    const engine = await asked.engine()
    if (engine === null) {
      if ((await measureTexts(deps.library, asked)).characters === 0) throw nothingToRead()
      return { whole: null, notices: [noticeOf("not_read_whole")] }
    }
    const { characters, fits, estimatedSeconds } = await estimateReading(
      deps,
      engine,
      asked,
      taskOf(question, columns),
    )
    if (characters === 0) throw nothingToRead()
    if (!fits) throw tooMuch(characters, estimatedSeconds)
    return { whole: { fileIds, list, columns, notice: null }, notices: [] }
  }
  const passages = { whole: null, notices: [] }
  if (reading === "passages" || vectorIds.length === 0 || !wantsAll(wanted)) return passages
  const engine = await asked.engine()
  if (engine === null) return { whole: null, notices: [noticeOf("not_read_whole")] }
  if (isSmall(engine)) return passages
  const { characters, fits } = await estimateReading(deps, engine, asked, taskOf(question, columns))
  if (characters === 0) return passages
  return fits
    ? { whole: { fileIds, list, columns, notice: noticeOf("reading_whole", { characters }) }, notices: [] }
    : { whole: null, notices: [noticeOf("too_much_for_whole", { characters })] }
}

const wantsAll = ({ question, attached }: Pick<AskedReading, "question" | "attached">) =>
  attached.length > 0 ? wantsWholeOfAttached(question) : wantsWhole(question)

/** What is attached is what a question is about that points at it, or that names no folder; else it is read with the rest. */
export function filesToRead({
  question,
  attached,
  besideFolders,
  fileIds,
}: Pick<AskedReading, "question" | "attached" | "besideFolders" | "fileIds">): readonly string[] | null {
  if (attached.length === 0) return fileIds
  if (fileIds !== null) return [...new Set([...attached, ...fileIds])]
  return !besideFolders || pointsAtAttached(question) ? attached : null
}

/** Whether a question has all read without being told to, where that fits. */
export const decidesOnWhole = (
  engine: ChatEngine,
  asked: Pick<AskedReading, "question" | "attached">,
): boolean => wantsAll(asked) && !isSmall(engine)

/** Whether a model holds too little to read much at once; it is known once the model was loaded. */
const isSmall = ({ model: { contextSize } }: ChatEngine) => contextSize > 0 && contextSize < leastContext
const leastContext = 2_048

export const nothingToRead = () => invalidField("reading", sentence("reading.nothing_to_read"))

const tooMuch = (characters: number, estimatedSeconds: number) =>
  new AppError(
    "too_much_to_read",
    sentence("reading.too_much", { characters, minutes: Math.ceil(estimatedSeconds / 60) }),
    { details: { characters, estimatedSeconds } },
  )
