import type { AskedFile, ChatRequest } from "../../../../../shared/contract/chat.ts"
import { AppError, invalidField } from "../../../../../shared/contract/errors.ts"
import type { Notice } from "../../../../../shared/contract/folders.ts"
import { createNotice, sentence } from "../../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../../engines/engine.ts"
import { estimateReading, measureTexts, type EstimateDeps } from "./estimate.ts"
import { getFolder, type ReadingScope } from "../library.ts"
import { findColumns, getTask } from "../get-task.ts"
import { pointsAtAttached, wantsList, wantsWhole, wantsWholeOfAttached } from "./wants-whole.ts"

export interface Whether {
  /** null: the question is answered from passages. */
  whole: WholeDecision | null
  /** Notices for the user if the question isn't answered from the whole documents. */
  notices: Notice[]
}

export interface WholeDecision {
  /** The files to read; null: all files of the folders. */
  fileIds: readonly string[] | null
  list: boolean
  /** Columns of the requested table; null: the answer is prose. */
  columns: string[] | null
  /** Set if the box chose to read everything by itself; null if the request asked for it. */
  notice: Notice | null
}

export interface AskedReading extends ReadingScope {
  /** IDs of the files attached to the question. */
  attached: readonly string[]
  /** Whether the question is also about folders other than the chat's own. */
  hasOtherFolders: boolean
  question: string
  reading: NonNullable<ChatRequest["reading"]>
  /** Columns of the table that the request asks for. The question itself may also ask for a table. */
  columns: string[] | null
  /** Called only if everything may have to be read. Returns null if no model may answer. */
  engine(): Promise<ChatEngine | null>
}

/** Returns the current files that a question names. Throws `not_found` for files that the user may not read. */
export async function findAsked(
  { library }: Pick<EstimateDeps, "library">,
  userId: string,
  fileIds: readonly string[],
): Promise<AskedFile[]> {
  const found: AskedFile[] = []
  const missing: string[] = []
  for (const id of new Set(fileIds)) {
    const file = await library.file(userId, id)
    if (file) found.push({ fileId: file.id, vectorId: getFolder(file), name: file.name })
    else missing.push(id)
  }
  if (missing.length > 0)
    throw new AppError("not_found", sentence("reading.no_such_file"), { details: missing })
  return found
}

/**
 * Decides whether a question is answered from whole documents. Throws `too_much_to_read` if that was requested and is too much, and
 * `validation` if there is nothing to read.
 */
export async function decideReading(deps: EstimateDeps, wanted: AskedReading): Promise<Whether> {
  const { question, reading, vectorIds } = wanted
  const fileIds = filesToRead(wanted)
  const asked = { ...wanted, fileIds }
  const list = wantsList(question)
  const columns = asked.columns ?? findColumns(question)
  if (reading === "whole") {
    const engine = await asked.engine()
    if (engine === null) {
      if ((await measureTexts(deps.library, asked)).characters === 0) throw nothingToRead()
      return { whole: null, notices: [createNotice("not_read_whole")] }
    }
    const { characters, fits, estimatedSeconds } = await estimateReading(
      deps,
      engine,
      asked,
      getTask(question, columns),
    )
    if (characters === 0) throw nothingToRead()
    if (!fits) throw tooMuch(characters, estimatedSeconds)
    return { whole: { fileIds, list, columns, notice: null }, notices: [] }
  }
  const passages = { whole: null, notices: [] }
  if (reading === "passages" || vectorIds.length === 0 || !wantsAll(wanted)) return passages
  const engine = await asked.engine()
  if (engine === null) return { whole: null, notices: [createNotice("not_read_whole")] }
  if (isSmall(engine)) return passages
  const { characters, fits } = await estimateReading(deps, engine, asked, getTask(question, columns))
  if (characters === 0) return passages
  return fits
    ? {
        whole: { fileIds, list, columns, notice: createNotice("reading_whole", { characters }) },
        notices: [],
      }
    : { whole: null, notices: [createNotice("too_much_for_whole", { characters })] }
}

const wantsAll = ({ question, attached }: Pick<AskedReading, "question" | "attached">) =>
  attached.length > 0 ? wantsWholeOfAttached(question) : wantsWhole(question)

/** Returns only the attached files if the question refers to them or names no folder; otherwise they are read with the rest. */
export function filesToRead({
  question,
  attached,
  hasOtherFolders,
  fileIds,
}: Pick<AskedReading, "question" | "attached" | "hasOtherFolders" | "fileIds">): readonly string[] | null {
  if (attached.length === 0) return fileIds
  if (fileIds !== null) return [...new Set([...attached, ...fileIds])]
  return !hasOtherFolders || pointsAtAttached(question) ? attached : null
}

/** Returns whether the box should read everything for this question without being asked to, if it fits. */
export const decidesOnWhole = (
  engine: ChatEngine,
  asked: Pick<AskedReading, "question" | "attached">,
): boolean => wantsAll(asked) && !isSmall(engine)

/** Returns whether the model's context window is too small to read much at once. The size is known only after the model was loaded. */
const isSmall = ({ model: { contextSize } }: ChatEngine) => contextSize > 0 && contextSize < minContext
const minContext = 2_048

export const nothingToRead = () => invalidField("reading", sentence("reading.nothing_to_read"))

const tooMuch = (characters: number, estimatedSeconds: number) =>
  new AppError(
    "too_much_to_read",
    sentence("reading.too_much", { characters, minutes: Math.ceil(estimatedSeconds / 60) }),
    { details: { characters, estimatedSeconds } },
  )
