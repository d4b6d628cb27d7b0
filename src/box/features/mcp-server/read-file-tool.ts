import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { Id } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DocumentUnits } from "./document-units.ts"
import { readingScopes, wrongArgument } from "./folder-tools.ts"
import type { McpServerDeps } from "./ports.ts"
import { parsePosition, readRange, type ReadRange } from "./read-range.ts"
import { defineTool, type McpTool } from "./tool.ts"

/** Characters of an answer, what it says of itself included. */
const longestAnswer = 50_000
const longestRemark = 600
const shownNames = 200

const Position = z.union([z.int().min(1), z.string().max(20)])

export const readFileTool = (deps: McpServerDeps): McpTool =>
  defineTool({
    name: "read_file",
    title: "Read a file",
    description:
      "The text of a file, or a part of it: pages of a PDF, slides, sheets of a workbook (1 is the first), or lines of anything else. At most 50,000 characters a call; the end of the answer says how to go on.",
    scopes: readingScopes,
    readOnly: true,
    input: z.object({
      fileId: Id.meta({ description: "A file's id, from list_files or search" }),
      from: Position.optional().meta({
        description: "First page, slide, sheet or line, from 1; or where the answer before said to go on",
      }),
      to: z.int().min(1).optional().meta({ description: "Last one, included; the file's end otherwise" }),
    }),
    async run({ fileId, from = 1, to }, { caller: { userId } }) {
      const position = parsePosition(from)
      if (!position) throw wrongArgument(`from: give a number from 1, or what the answer before said.`)
      if (to !== undefined && to < position.number)
        throw wrongArgument(`to: give ${position.number} or more.`)
      const folderId = await deps.folderOf(fileId)
      if (folderId === null) throw new AppError("not_found", sentence("files.none_such"))
      const { name } = await deps.file(userId, folderId, fileId)
      const range = {
        from: position,
        to: to ?? Number.MAX_SAFE_INTEGER,
        limit: longestAnswer - longestRemark,
      }
      const read = await readRange(() => deps.text(userId, folderId, fileId), range)
      const said = remark(name, read, position.number)
      return {
        content: [
          { type: "text", text: read.text },
          { type: "text", text: said },
        ],
      }
    },
  })

/** What was read, of how much, and how to go on. */
function remark(name: string, { units, read, next }: ReadRange, from: number): string {
  const file = `“${name.slice(0, shownNames)}”`
  if (units.last === 0) return `${file} holds no text.`
  const all = `${units.last} ${units.unit}${units.last === 1 ? "" : "s"}${namesOf(units)}`
  if (read === null)
    return `There is no ${units.unit} ${from} with text in ${file}, which has ${all}. Give a smaller from.`
  const what = read.from === read.to ? `${units.unit} ${read.from}` : `${units.unit}s ${read.from}–${read.to}`
  const goOn = next === null ? "" : ` More follows: go on with from: "${next}".`
  return `${file}: ${what} of ${all}.${goOn}`
}

function namesOf({ sheets }: DocumentUnits): string {
  if (sheets.length === 0) return ""
  const names = sheets.join(", ")
  return ` (${names.length > shownNames ? `${names.slice(0, shownNames)}…` : names})`
}
