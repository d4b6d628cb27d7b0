import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { Id } from "../../../shared/contract/primitives.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { describeNext, describeRange } from "../../parsers/ranges/describe-range.ts"
import { readRange, parseRange } from "../../parsers/ranges/read-range.ts"
import { readingScopes } from "./folder-tools.ts"
import type { McpServerDeps } from "./ports.ts"
import { defineTool, type McpTool } from "./tool.ts"

/** Maximum characters of a result, including the remarks about it. */
const maxAnswerLength = 50_000
const maxRemarkLength = 600

const Position = z.union([z.int().min(1), z.string().max(20)])

export const createReadFileTool = (deps: McpServerDeps): McpTool =>
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
    async run({ fileId, from, to }, { caller: { userId } }) {
      const wanted = parseRange(from, to)
      const folderId = await deps.getFolder(fileId)
      if (folderId === null) throw new AppError("not_found", sentence("files.none_such"))
      const { name } = await deps.file(userId, folderId, fileId)
      const limit = maxAnswerLength - maxRemarkLength
      const read = await readRange(() => deps.text(userId, folderId, fileId), { ...wanted, limit })
      const said = [describeRange(name, read, wanted.from.number), describeNext(read)]
      return {
        content: [
          { type: "text", text: read.text },
          { type: "text", text: said.filter(Boolean).join(" ") },
        ],
      }
    },
  })
