import type { ReadingEstimate, AskedFile, ChatRequest } from "../../../../../shared/contract/chat.ts"
import { AppError, invalidField } from "../../../../../shared/contract/errors.ts"
import type { Notice } from "../../../../../shared/contract/folders.ts"
import type { BoxSettings } from "../../../../../shared/contract/settings.ts"
import { createNotice, sentence } from "../../../../../shared/sentences/sentences.ts"
import type { ChatEngine } from "../../../../engines/engine.ts"
import { listFiles, type ReadingLibrary, type ReadingScope, getFolder } from "../library.ts"
import { type NoteStore, estimateCost } from "../notes/note-store.ts"
import { noteTask, type PartTask } from "../part-prompt.ts"
import { getOrigin } from "../read-parts.ts"
import { rowTask, columnsAsked } from "../table/fact-table.ts"

/**
 * Classifies questions by their words, in English, Italian and German. If in doubt, a question is answered from passages, because reading
 * everything takes minutes.
 */

/** Sentences that ask for all of something. Each pattern matches at the start of a sentence or after a polite word. */
const summaries = [
  /\b(?:summari[sz]e|sum up|give (?:me |us )?(?:a |an )?(?:\w+ )?(?:summary|overview|outline) of|write (?:a |an )?(?:\w+ )?(?:summary|overview) of)\b/,
  /\b(?:riassum(?:i|imi|ere|ete|ilo|ili|ila|ile)|riepilog(?:a|ami|are)|fa(?:i|mmi) (?:un |una )?(?:riassunto|riepilogo|sintesi|panoramica)|sintetizza)\b/,
  /\b(?:fass\w* (?:\S+ ){0,6}zusammen|zusammenfass(?:en|ung)|gib (?:mir )?einen überblick)\b/,
]
const comparisons = [
  /\bcompare (?:all |both )?(?:the |these |those |my )?(?:\w+ )?(?:documents|files|contracts|reports|versions|offers|papers)\b/,
  /\bconfronta (?:tutti |tutte )?(?:i |gli |le |questi |queste )?(?:documenti|file|contratti|relazioni|versioni|offerte)\b/,
  /\bvergleich\w* (?:alle |beide )?(?:die |diese )?(?:dokumente|dateien|verträge|berichte|versionen|angebote)\b/,
]
/** Comparisons of the files attached to the question. */
const comparisonsOfThese = [
  /\bcompare (?:these|those|them|both|the two|this with|the attached|the attachments)\b/,
  /\b(?:what are the differences|what differs|what is the difference|what's the difference) between (?:these|those|them|the two|the attached|the files|the documents)\b/,
  /\b(?:confronta(?:li|le|re)?|paragona(?:li|le|re)?)(?: (?:quest[ie]|entramb[ie]|i due|le due|gli allegati|i file|i documenti)\b|$|[.!?])/,
  /\b(?:quali sono le differenze|che differenza c'è|che differenze ci sono) tra (?:quest[ie]|loro|i due|le due|gli allegati|i file|i documenti)\b/,
  /\bvergleich\w* (?:diese|sie|beide|die beiden|die anhänge)\b/,
]
/** Words that refer to the attached files. */
const pointing =
  /\b(?:this|these|it|them|both|attached|attachments?|quest[aeio]|allegat[aeio]|dies(?:e[rsmn]?)?|anh[aä]nge?|angehängte\w*)\b|\b(?:riassumil[aeio]|confrontal[ei]|fass\w* (?:das|es) zusammen)\b/
const lists = [
  /\b(?:list|name|enumerate|collect|extract|find|show(?: me)?|give (?:me|us)|write down) (?:me )?(?:all|every|each|any and all)\b/,
  /\b(?:list|enumerate) (?:out )?the\b/,
  /\b(?:what|which|who) are all\b/,
  /\b(?:table with (?:the )?columns?|tabella con le colonne|tabelle mit (?:den )?spalten)\b/,
  /\bhow many\b.*\b(?:in total|altogether|overall|in all)\b/,
  /\b(?:elenca(?:mi|re)?|enumera|estrai|trova|mostra(?:mi)?|dammi|raccogli|nomina) (?:tutt[ieo]|ogni|ciascun)/,
  /\b(?:elenca(?:mi|re)?|enumera) (?:i|gli|le) /,
  /\bquali sono tutt[ie]\b/,
  /\bquant[ieo]\b.*\b(?:in totale|in tutto|complessivamente)\b/,
  /\b(?:liste|list|nenn|zähl|finde?|zeig|gib|sammle|extrahier)\w* (?:mir |uns )?(?:bitte )?(?:alle[sn]?|jede[nsmr]?|sämtliche[nsr]?)\b/,
  /\b(?:welche|was) sind alle\b/,
  /\bwie ?viele?\b.*\b(?:insgesamt|im ganzen|alles in allem|zusammen)\b/,
]
/** Requests about something outside the files, or about earlier messages. */
const notOfFiles =
  /\b(?:this (?:answer|chat|conversation)|your (?:last )?answer|what you (?:just )?said|questa (?:risposta|chat|conversazione)|la tua risposta|diese[rs]? (?:antwort|unterhaltung)|deine (?:letzte )?antwort)\b/

/** Maximum number of characters of a question that are examined. */
const maxLength = 2_000
const folded = (question: string) =>
  question.slice(0, maxLength).normalize("NFC").toLowerCase().replace(/\s+/g, " ")

/** Returns whether a question wants a complete list, from which nothing may be lost. */
export const wantsList = (question: string): boolean => lists.some((one) => one.test(folded(question)))

/** Returns whether a question is about everything: a summary, a comparison or a complete list. */
export function wantsWhole(question: string): boolean {
  const text = folded(question)
  if (notOfFiles.test(text)) return false
  return [...summaries, ...comparisons, ...lists].some((one) => one.test(text))
}

/** Like `wantsWhole`, for a question with attached files, which may be about those files only. */
const wantsWholeOfAttached = (question: string): boolean =>
  wantsWhole(question) || comparisonsOfThese.some((one) => one.test(folded(question)))

/** Returns whether a question refers to its attached files. */
const pointsAtAttached = (question: string): boolean => pointing.test(folded(question))

/** Returns the columns of the table that the question's wording asks for, or null if it asks for none. */
export const findColumns = (question: string): string[] | null =>
  wantsList(question) ? columnsAsked(question) : null

/** Returns what to note on each part: rows of the requested table, or statements. */
export const getTask = (question: string, columns: readonly string[] | null): PartTask =>
  columns ? rowTask(question, columns) : noteTask(question)

export interface EstimateDeps {
  library: ReadingLibrary
  notes(): Promise<Pick<NoteStore, "getSpeed" | "remembered">>
  limit(): BoxSettings["wholeLimit"]
}

/** Estimates the cost of reading everything the question is about. Parts with stored notes for the same task aren't read again. */
export async function estimateReading(
  { library, notes, limit }: EstimateDeps,
  engine: ChatEngine,
  scope: ReadingScope,
  task: PartTask | null,
): Promise<Omit<ReadingEstimate, "isDecided">> {
  const { files, readable, characters } = await measureTexts(library, scope)
  const store = await notes()
  const noted = task === null ? 0 : await store.remembered(getOrigin(engine, task), readable)
  const unread = Math.max(0, characters - noted)
  const { seconds, tokens, isMeasured } = await estimateCost(store, engine, unread)
  const max = limit()
  return {
    files: files.length,
    characters,
    estimatedSeconds: seconds,
    estimatedTokens: tokens,
    fits: characters <= max.characters && seconds <= max.minutes * 60,
    isMeasured,
  }
}

/**
 * Returns the files the question is about, those that can be read, and the number of characters in their texts, without opening any text.
 */
export async function measureTexts(library: ReadingLibrary, scope: ReadingScope) {
  const files = await listFiles(library, scope)
  const readable = files.filter(({ status }) => status === "completed")
  const lengths = await library.characters(readable.map(({ id }) => id))
  return { files, readable, characters: [...lengths.values()].reduce((sum, length) => sum + length, 0) }
}

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
      if ((await measureTexts(deps.library, asked)).characters === 0) throw nothingToRead(asked.filter)
      return { whole: null, notices: [createNotice("not_read_whole")] }
    }
    const { characters, fits, estimatedSeconds } = await estimateReading(
      deps,
      engine,
      asked,
      getTask(question, columns),
    )
    if (characters === 0) throw nothingToRead(asked.filter)
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

export const nothingToRead = (filter: AskedReading["filter"] = null) =>
  filter
    ? invalidField("filter", sentence("reading.nothing_in_filter"))
    : invalidField("reading", sentence("reading.nothing_to_read"))

const tooMuch = (characters: number, estimatedSeconds: number) =>
  new AppError(
    "too_much_to_read",
    sentence("reading.too_much", { characters, minutes: Math.ceil(estimatedSeconds / 60) }),
    { details: { characters, estimatedSeconds } },
  )
