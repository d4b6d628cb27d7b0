import { z } from "zod"
import type { Source } from "../../../../shared/contract/chat.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { defineTool, type Tool, type ToolResult } from "../../../tools/tool.ts"
import { sourceLink } from "../grounding/cite-passages.ts"
import {
  mark,
  fitRows,
  folderToolBase,
  ReceivedId,
  getNames,
  noRoomError,
  reachedFolders,
  type FolderSession,
  type FolderTable,
  type FolderTables,
  type ReachedFolder,
  type TableAnswer,
} from "./session.ts"

/** Maximum number of tables cited per query, and of result characters shown in a citation. */
const maxCited = 5
const shownCharacters = 1_000

export const createQueryTable = (session: () => FolderSession, tables: FolderTables): Tool =>
  defineTool({
    ...folderToolBase,
    key: "queryTable",
    description: "Calculates in sheets and CSV files by one SQL SELECT. SHOW TABLES tells what there is.",
    args: z.object({ sql: z.string().trim().max(10_000), folderId: ReceivedId.optional() }),
    async run({ sql, folderId }, context) {
      const folders = await reachedFolders(session(), context, folderId)
      if (/^show\s+tables\s*;?$/i.test(sql)) return showTables(session(), tables, folders, context.signal)
      const [folder] = folders
      if (!folder || folders.length > 1)
        throw new AppError("validation", sentence("tools.which_folder", { all: getNames(folders) }))
      const asked = await tables.query(folder, sql, { signal: context.signal })
      return getAnswer(session(), folder, sql, asked.answer, asked.tables)
    },
  })

async function showTables(
  { engine, room }: FolderSession,
  tables: FolderTables,
  folders: readonly ReachedFolder[],
  signal: AbortSignal,
): Promise<ToolResult> {
  let without = 0
  let making = 0
  const all: { folder: ReachedFolder; table: FolderTable }[] = []
  for (const folder of folders) {
    const found = await tables.list(folder, signal)
    for (const table of found.tables) all.push({ folder, table })
    const makingCount = found.without.filter(({ why }) => why === "making").length
    making += makingCount
    without += found.without.length - makingCount
  }
  const toResult = (shown: typeof all) => ({
    notShown: all.length - shown.length,
    ...(making > 0 && { filesWhoseTablesAreStillMade: making }),
    ...(without > 0 && { filesWithoutTables: without }),
    tables: shown.map(({ folder, table: { name, fileName, sheet, columns } }) => ({
      name,
      ...(folders.length > 1 && { folderId: folder.id }),
      file: fileName,
      ...(sheet !== null && { sheet }),
      columns: columns.map((column) => `${column.name} ${column.type}`),
    })),
  })
  const shown = await fitRows(engine, room(), all, (rows) => toResult([...rows]))
  if (shown.length === 0 && all.length > 0) throw noRoomError()
  return { content: toResult([...shown]) }
}

async function getAnswer(
  { engine, reading, citations, boxAddress, room }: FolderSession,
  folder: ReachedFolder,
  sql: string,
  { columns, rows, truncated }: TableAnswer,
  asked: readonly FolderTable[],
): Promise<ToolResult> {
  const cited: Omit<Source, "citation">[] = []
  for (const { id, fileId, fileName, sheet } of asked.slice(0, maxCited)) {
    const { relativePath } = await reading.file(folder, fileId)
    cited.push({
      id: `${id}:${fileId}`.slice(0, 100),
      fileId,
      fileName,
      vectorId: folder.id,
      relativePath,
      text: `${sql}\n${rows.map((row) => row.join(" | ")).join("\n")}`.slice(0, shownCharacters),
      location: sheet === null ? {} : { sheet },
      score: 1,
      rank: {},
      url: sourceLink(boxAddress, { vectorId: folder.id, fileId, id: null }),
    })
  }
  const numbered = citations.number(cited)
  const toResult = (shown: readonly unknown[][]) => ({
    sql,
    sheets: numbered.map(({ source }) => ({
      cite: mark(source),
      file: source.fileName,
      ...(source.location.sheet !== undefined && { sheet: source.location.sheet }),
    })),
    columns: columns.map(({ name }) => name),
    rows: shown,
    ...((truncated || shown.length < rows.length) && { note: "There are more rows: aggregate them in SQL." }),
  })
  const shown = await fitRows(engine, room(), rows, toResult)
  if (shown.length === 0 && rows.length > 0) throw noRoomError()
  const parts = citations.add(numbered).map((source) => ({ type: "source" as const, ...source }))
  return { content: toResult(shown), parts }
}
