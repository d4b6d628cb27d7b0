import { z } from "zod"
import type { Source } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { GeneratedFiles } from "../../../core/files/generated-files.ts"
import type { ChatEngine } from "../../../engines/engine.ts"
import type { Block } from "../../../parsers/parser.ts"
import type { ToolContext, ToolDefinition } from "../../../tools/tool.ts"
import type { SearchFolders } from "../grounding/find-passages.ts"
import { resultText } from "../tool-calls/engine-messages.ts"

/** A folder that an answer may read. It is read with its owner's rights, because the user may have access only through an assistant. */
export interface ReachedFolder {
  id: string
  name: string
  ownerId: string
  /** The files in it written by a model that the answer may read. */
  generated: GeneratedFiles
  /** The files in it that the question's filter lets through; null: all of them. */
  only: ReadonlySet<string> | null
}

/** Reads folders for an answer's tools. Files written by a model are hidden unless they are in `generated`. */
export interface FolderReading {
  /** Returns those of the folders that still exist and that the user may see or was granted. */
  reached(
    answer: Pick<ToolContext, "userId" | "folderIds" | "generated" | "filter">,
    granted: readonly string[],
  ): Promise<ReachedFolder[]>
  files(
    folder: ReachedFolder,
    query: { limit: number; offset: number; search?: string | undefined },
  ): Promise<{ total: number; files: FileEntry[] }>
  /** Returns the folder of a file, regardless of its owner; null if there is no such file. */
  getFolder(fileId: string): Promise<string | null>
  /** Throws `not_found`. */
  file(folder: ReachedFolder, fileId: string): Promise<FileEntry>
  /** Throws `conflict` while the file isn't completely indexed. */
  text(folder: ReachedFolder, fileId: string): Promise<AsyncIterable<Block[]>>
  /** Sheets that can be queried by SQL. */
  tables: FolderTables
}

export interface FolderTables {
  /** Returns the tables created so far, and the files without tables, or without tables yet. */
  list(
    folder: ReachedFolder,
    signal: AbortSignal,
  ): Promise<{ tables: readonly FolderTable[]; without: readonly { fileName: string; why: string }[] }>
  /**
   * Runs one read-only SELECT. Returns its answer and the tables that it may use. Throws an error that describes what is wrong with the
   * query.
   */
  query(
    folder: ReachedFolder,
    sql: string,
    options: { signal: AbortSignal },
  ): Promise<{ answer: TableAnswer; tables: readonly FolderTable[] }>
}

export interface FolderTable {
  id: string
  fileId: string
  fileName: string
  /** null if the file itself is the table. */
  sheet: string | null
  /** Name in SQL. */
  name: string
  columns: readonly TableColumn[]
}

export interface TableAnswer {
  columns: readonly TableColumn[]
  rows: readonly unknown[][]
  truncated: boolean
}

interface TableColumn {
  name: string
  type: string
}

export interface NumberedSource {
  source: Source
  /** Whether the answer hasn't cited it yet. */
  isNew: boolean
}

/** The sources of one answer. Their numbers continue after those of the initial sources. */
export interface Citations {
  /** Returns the pieces with citation numbers, in order. A new piece becomes a source of the answer only when it is added. */
  number(pieces: readonly Omit<Source, "citation">[]): NumberedSource[]
  /** Adds the new pieces to the answer's sources. Accepts only the pieces numbered last, or the first of them. */
  add(numbered: readonly NumberedSource[]): Source[]
  find(citation: number): Source | undefined
}

export function createCitations(known: readonly Source[]): Citations {
  const sources = new Map(known.map((source) => [source.id, source]))
  return {
    number(pieces) {
      let last = Math.max(0, ...[...sources.values()].map(({ citation }) => citation))
      return pieces.map((piece) => {
        const cited = sources.get(piece.id)
        return cited
          ? { source: cited, isNew: false }
          : { source: { ...piece, citation: ++last }, isNew: true }
      })
    },
    add(numbered) {
      const added = numbered.filter(({ isNew }) => isNew).map(({ source }) => source)
      for (const source of added) sources.set(source.id, source)
      return added
    },
    find: (citation) => [...sources.values()].find((source) => source.citation === citation),
  }
}

/** Returns a source's citation mark in the text. */
export const mark = ({ citation }: Pick<Source, "citation">): string => `[${citation}]`

/** State and dependencies of one answer's folder tools. */
export interface FolderSession {
  engine: Pick<ChatEngine, "countTokens">
  reading: FolderReading
  search: SearchFolders
  /** Folders that the user can currently access through the assistant, even if the user can't see them otherwise. */
  granted(): Promise<readonly string[]>
  citations: Citations
  boxAddress: string
  /** Tokens available for the next result. */
  room(): number
}

/** Returns the answer's folders that may be read now, or only the given one. Throws `not_found` for any other. */
export async function reachedFolders(
  session: FolderSession,
  context: Pick<ToolContext, "userId" | "folderIds" | "generated" | "filter">,
  named: string | undefined,
): Promise<ReachedFolder[]> {
  const reached = await session.reading.reached(context, await session.granted())
  if (named === undefined) return reached
  const folder = reached.find(({ id }) => id === named)
  if (folder) return [folder]
  throw new AppError("not_found", sentence("tools.other_folder", { all: getNames(reached) }))
}

/** Lists the available folders for a model. */
export const getNames = (folders: readonly ReachedFolder[]): string =>
  folders.map(({ id, name }) => `${id} (${name})`).join("; ")

export const noRoomError = () => new AppError("unprocessable", sentence("tools.no_room"))

/** Returns the maximum number of rows, from the first, whose result fits the token limit; all rows if they fit. */
export async function fitRows<Row>(
  { countTokens }: Pick<ChatEngine, "countTokens">,
  room: number,
  rows: readonly Row[],
  toResult: (rows: readonly Row[]) => unknown,
): Promise<readonly Row[]> {
  let fitting = rows
  while (fitting.length > 0) {
    const tokens = await countTokens(resultText(toResult(fitting)))
    if (tokens <= room) return fitting
    fitting = fitting.slice(0, Math.min(fitting.length - 1, Math.floor(fitting.length * (room / tokens))))
  }
  return fitting
}

/** Common properties of folder tools: they only read, their results may be written by anyone, and they are private. */
export const folderToolBase = {
  effects: ["read"],
  result: { trusted: false, private: true },
} as const satisfies Pick<ToolDefinition<never>, "effects" | "result">

/** An id that the model received. It has no description, because every word of one is part of every prompt. */
export const ReceivedId = z.string().max(100)
