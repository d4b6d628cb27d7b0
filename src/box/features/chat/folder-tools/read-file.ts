import { z } from "zod"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Source } from "../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import type { Location } from "../../../../shared/contract/location.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import {
  describeNext,
  describeRange,
  readRange,
  parseRange,
  type ReadRange,
  type WantedRange,
} from "../../../parsers/ranges/read-range.ts"
import { defineTool, type Tool, type ToolContext } from "../../../tools/tool.ts"
import { sourceLink } from "../grounding/cite-passages.ts"
import { resultText } from "../tool-calls/engine-messages.ts"
import {
  mark,
  type NumberedSource,
  folderToolBase,
  ReceivedId,
  noRoomError,
  reachedFolders,
  type FolderSession,
  type ReachedFolder,
} from "./session.ts"

const maxCharacters = 50_000
/** Minimum size of a result; a smaller one isn't worth a call. */
const minCharacters = 100
/** More than in any text, so that nothing that would fit is left out. */
const charactersPerToken = 6

export const createReadFile = (session: () => FolderSession): Tool =>
  defineTool({
    ...folderToolBase,
    key: "readFile",
    description: "Reads pages, slides, sheets or lines of one, by its id or a passage's number.",
    args: z.object({
      fileId: ReceivedId,
      // The descriptions for local models would leave out a union.
      from: z.coerce.string<string | number>().max(20).optional(),
      to: z.int().min(1).optional(),
    }),
    async run({ fileId, from, to }, context) {
      const wanted = parseRange(from, to)
      const found = await findFile(session(), context, fileId)
      const { content, numbered } = await readFitting(session(), found, wanted)
      const added = session().citations.add(numbered)
      return { content, parts: added.map((source) => ({ type: "source" as const, ...source })) }
    },
  })

interface FoundFile {
  folder: ReachedFolder
  file: FileEntry
}

/** Finds a file in the answer's folders by its id or by the number of a source. Doesn't reveal whether other files exist. */
async function findFile(session: FolderSession, context: ToolContext, named: string): Promise<FoundFile> {
  const { reading, citations } = session
  const number = /^\[?(\d{1,4})\]?$/.exec(named)?.[1]
  const fileId = (number !== undefined && citations.find(Number(number))?.fileId) || named
  const folderId = await reading.getFolder(fileId)
  const reached = await reachedFolders(session, context, undefined)
  const folder = reached.find(({ id }) => id === folderId)
  const file = folder && (await reading.file(folder, fileId).catch(nullIfNotFound))
  if (folder && file) return { folder, file }
  throw new AppError("not_found", sentence("tools.no_such_document"))
}

function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null
  throw error
}

/** Reads as much of a range as fits the result. */
async function readFitting(
  { engine, reading, citations, boxAddress, room }: FolderSession,
  { folder, file }: FoundFile,
  wanted: WantedRange,
): Promise<{ content: unknown; numbered: NumberedSource[] }> {
  const allowed = room()
  let limit = Math.min(maxCharacters, allowed * charactersPerToken)
  while (limit >= minCharacters) {
    const open = () => reading.text(folder, file.id)
    const range = await readRange(open, { ...wanted, limit })
    const piece = toPiece(folder, file, wanted, range, boxAddress)
    const numbered = piece === null ? [] : citations.number([piece])
    const content = {
      ...(numbered[0] && { cite: mark(numbered[0].source) }),
      file: file.name,
      ...(range.read && { range: { unit: range.units.unit, ...range.read, of: range.units.last } }),
      read: [describeRange(file.name, range, wanted.from.number), describeNext(range)]
        .filter(Boolean)
        .join(" "),
      text: range.text,
    }
    const tokens = await engine.countTokens(resultText(content))
    if (tokens <= allowed) return { content, numbered }
    limit = Math.floor(Math.min(limit, range.text.length) * Math.min(0.95, allowed / tokens))
  }
  throw noRoomError()
}

/** Returns the text that was read, for a citation; null if there was none. */
function toPiece(
  folder: ReachedFolder,
  { id, name, relativePath }: FileEntry,
  { from }: WantedRange,
  range: ReadRange,
  boxAddress: string,
): Omit<Source, "citation"> | null {
  if (range.read === null) return null
  const location = { vectorId: folder.id, fileId: id }
  return {
    ...location,
    id: `${id}:${from.number}+${from.offset}-${range.next ?? range.read.to}`,
    fileName: name,
    relativePath,
    text: range.text,
    location: getLocation(range, range.read.from),
    score: 1,
    rank: {},
    url: sourceLink(boxAddress, { ...location, id: null }),
  }
}

function getLocation({ units: { unit, sheets } }: ReadRange, number: number): Location {
  return unit === "sheet" ? { sheet: sheets[number - 1] ?? "" } : { [unit]: number }
}
