import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { FileFilter } from "../../../shared/contract/file-filter.ts"
import type { FileEntry } from "../../../shared/contract/files.ts"
import type { Passage } from "../../../shared/contract/folders.ts"
import { Id } from "../../../shared/contract/primitives.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { describeLocation } from "../../../shared/words/location-words.ts"
import { describeNext, describeRange, readRange, parseRange } from "../../parsers/ranges/read-range.ts"
import { jsonResult, defineTool, longText, type McpTool, type McpServerDeps } from "./tool.ts"

/** Either scope lets a key read the contents of folders, as in the server's other APIs. */
export const readingScopes = ["folders", "read-only"] as const
const readOnly = { scopes: readingScopes, readOnly: true }

const filesAtOnce = 100
const maxQueryLength = 4_000

export const createMcpFolderTools = (deps: McpServerDeps): McpTool[] => [
  defineTool({
    ...readOnly,
    name: "list_folders",
    title: "List folders",
    description:
      "The folders of documents that can be searched and read here, with their ids and how many files are in them.",
    input: z.object({}),
    async run(_, { caller }) {
      const folders = await deps.folders(caller.userId)
      return jsonResult({
        folders: folders.map(({ id, name, description, fileCount, pendingCount, failedCount }) => ({
          id,
          name,
          ...(description !== "" && { description }),
          fileCount,
          ...(pendingCount > 0 && { pendingCount }),
          ...(failedCount > 0 && { failedCount }),
        })),
      })
    },
  }),
  defineTool({
    ...readOnly,
    name: "list_files",
    title: "List files",
    description: `The files of a folder, ${filesAtOnce} at a time: id, name, sub-folder, size and state. \`read_file\` reads those that are completed.`,
    input: z.object({
      folderId: Id.meta({ description: "A folder's id, from list_folders" }),
      query: z
        .string()
        .max(200)
        .optional()
        .meta({ description: "Only files whose names contain these words" }),
      cursor: z.string().max(20).optional().meta({ description: "nextCursor of the page before" }),
    }),
    async run({ folderId, query, cursor = "0" }, { caller }) {
      if (!/^\d{1,15}$/.test(cursor)) throw wrongArgument("cursor: give nextCursor of the page before.")
      const page = { limit: filesAtOnce, offset: Number(cursor), search: query }
      const { total, files } = await deps.files(caller.userId, folderId, page)
      const next = page.offset + files.length
      return jsonResult({
        total,
        files: files.map(shownFile),
        ...(files.length > 0 && next < total && { nextCursor: String(next) }),
      })
    },
  }),
  defineTool({
    ...readOnly,
    name: "search",
    title: "Search documents",
    description:
      "Finds the passages that answer a question best, in all folders or in some: by words, file names and, if Casella has an embedding model, by meaning. Each passage has its file's id for `read_file`, its location, and a link to cite.",
    input: z.object({
      query: longText(maxQueryLength).meta({ description: "A question, or words in any language" }),
      folderIds: z.array(Id).max(1_000).optional().meta({ description: "Only these; all folders otherwise" }),
      limit: z
        .int()
        .min(1)
        .max(50)
        .optional()
        .meta({ description: "Maximum number of passages; default: the folders' setting" }),
      filter: FileFilter.optional().meta({ description: "Which files are searched" }),
    }),
    async run({ query, folderIds, limit, filter }, { caller, boxAddress }) {
      const vectorIds = folderIds ?? (await deps.folders(caller.userId)).map(({ id }) => id)
      if (vectorIds.length === 0) return jsonResult({ passages: [] })
      const { results, notices } = await deps.search(caller.userId, { query, vectorIds, topK: limit, filter })
      return jsonResult({
        passages: results.map((passage) => ({
          ...shownPassage(passage),
          text: passage.text,
          score: passage.score,
          link: deps.link(boxAddress, passage),
        })),
        ...(notices.length > 0 && { notices: notices.map(({ message }) => message) }),
      })
    },
  }),
]

/** Error that tells a model in English what the argument should be. */
export const wrongArgument = (message: string) => new AppError("validation", Sentence.asIs(message))

/** A passage's file and location. */
export const shownPassage = ({ fileId, fileName, vectorId, relativePath, location }: Passage) => ({
  file: fileName,
  fileId,
  folderId: vectorId,
  path: stripFolder(relativePath),
  place: describeLocation(location),
})

const shownFile = ({ id, name, folder, size, status, error, updatedAt }: FileEntry) => ({
  id,
  name,
  ...(folder !== "" && { folder }),
  size,
  status,
  ...(error !== null && { error }),
  updatedAt,
})

/** Paths in the API start with the folder's ID. */
export const stripFolder = (relativePath: string) => relativePath.slice(relativePath.indexOf("/") + 1)

/** Maximum characters of a result, including the remarks about it. */
const maxAnswerLength = 50_000
const maxRemarkLength = 600

const Position = z.union([z.int().min(1), z.string().max(20)])

export const createReadFileTool = (deps: McpServerDeps): McpTool =>
  defineTool({
    name: "read_file",
    title: "Read a file",
    description:
      "The text of a file, or a part of it: pages of a PDF, slides, sheets of a workbook (1 is the first), or lines of anything else. At most 50,000 characters a call; the end of the result says how to continue.",
    scopes: readingScopes,
    readOnly: true,
    input: z.object({
      fileId: Id.meta({ description: "A file's id, from list_files or search" }),
      from: Position.optional().meta({
        description:
          "First page, slide, sheet or line, from 1; or the position at which the previous result said to continue",
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
