import { z } from "zod"
import { Undo } from "./deletions.ts"
import { bytes, json, upload } from "./endpoint.ts"
import { Location, PageArea } from "./location.ts"
import { atMost, Id, queryInteger, searchQuery, Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

export const FileStatus = z
  .enum(["queued", "processing", "completed", "failed", "skipped"])
  .meta({ id: "FileStatus" })
export type FileStatus = z.infer<typeof FileStatus>

export const FilePhase = z
  .enum(["queued", "extracting", "ocr", "chunking", "embedding", "indexing", "done", "failed"])
  .meta({ id: "FilePhase" })
export type FilePhase = z.infer<typeof FilePhase>

const ReasonValues = z.record(z.string(), z.union([z.string(), z.number()]))

/** A sentence about a file, with its code and values for programs and translations; `file-reasons.ts` has the codes. */
export const FileReason = z
  .object({
    code: z.string().meta({ description: "More may come: show the sentence of `error` or `note` then" }),
    values: ReasonValues.optional().meta({ description: "What the sentence names and counts" }),
    document: z
      .string()
      .optional()
      .meta({ description: "Name of the document inside the file that this is about" }),
    cause: z
      .object({ code: z.string(), values: ReasonValues.optional() })
      .optional()
      .meta({ description: "Why, for `embedded_left_out`" }),
  })
  .meta({ id: "FileReason" })
export type FileReason = z.infer<typeof FileReason>

/** When and why a web page couldn't be fetched again. */
export const PageProblem = z.object({
  at: Timestamp,
  error: z.string(),
  sentence: SentenceBody.optional(),
})

/** Details of a file that is a copy of a web page. */
export const WebCopy = z
  .object({
    url: z.string(),
    refreshHours: z.int().nullable().meta({ description: "Null: it isn't fetched again by itself" }),
    fetchedAt: Timestamp.meta({ description: "When the page was fetched last, also if it said the same" }),
    refreshAt: Timestamp.nullable().meta({ description: "When it is fetched again" }),
    problem: PageProblem.nullable().meta({ description: "Of the last try, if it failed; the copy stays" }),
  })
  .meta({ id: "WebCopy" })
export type WebCopy = z.infer<typeof WebCopy>

const RefreshHours = z.int().min(1).max(8_760).nullable()

/** Words that people and their assistants add to a file, to find it by. */
export const FileTags = z
  .array(atMost(40, z.string().trim().min(1)))
  .max(20)
  .meta({ id: "FileTags" })

/** The model that wrote a file: a saved answer, or a note. */
export const GeneratedBy = z
  .object({
    chatId: z.string().min(1).max(256),
    assistantId: Id.nullable().meta({ description: "Null: no assistant answered, or it is unknown" }),
    modelId: atMost(500).nullable().meta({ description: "Null: unknown" }),
  })
  .meta({ id: "GeneratedBy" })
export type GeneratedBy = z.infer<typeof GeneratedBy>

function isGeneratedBy(text: string): boolean {
  try {
    return GeneratedBy.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}

/** A file in a folder. */
export const FileEntry = z
  .object({
    id: Id,
    name: z.string(),
    folder: z.string().meta({ description: "Sub-folder path inside the folder; empty at the top" }),
    relativePath: z.string().meta({ description: "Path starting with the folder id" }),
    size: z.int(),
    status: FileStatus,
    phase: FilePhase,
    progress: z.int().min(0).max(100),
    error: z.string().nullable(),
    note: z.string().nullable(),
    reasons: z
      .array(FileReason)
      .optional()
      .meta({ description: "What `error` or `note` says, sentence by sentence, with codes" }),
    storage: z.enum(["local", "cloud"]),
    attempts: z.int(),
    web: WebCopy.nullish().meta({ description: "Null for what is no copy of a web page" }),
    leftOut: z.boolean().optional().meta({
      description: "`skipped` because its owner left it out of the index; its bytes stay as they are",
    }),
    tags: FileTags.optional(),
    generatedBy: GeneratedBy.nullish().meta({
      description:
        "Set if a model wrote the file: search, chat and whole reading exclude it unless `includeGenerated` is set",
    }),
    date: Timestamp.meta({
      description:
        "The date that its content states, such as that of a mail, a photo, or the creation of a PDF or Office document; otherwise `modifiedAt`",
    }),
    dateFrom: z.enum(["content", "file"]).meta({ description: "Whether the content states `date`" }),
    modifiedAt: Timestamp.optional().meta({ description: "When its bytes were changed last" }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: "FileEntry" })
export type FileEntry = z.infer<typeof FileEntry>

export const FilePatch = z
  .object({
    leftOut: z.boolean().meta({ description: "Its bytes stay as they are" }),
    refreshHours: RefreshHours,
    password: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: "Reads an encrypted PDF or Office document; it is kept in memory only" }),
  })
  .partial()
export type FilePatch = z.infer<typeof FilePatch>

/** A deleted file, while it is in the trash. */
export const TrashedFile = z
  .object({
    id: z.string().meta({ description: "In the trash; it isn't the file's" }),
    vectorId: Id,
    name: z.string(),
    folder: z.string().meta({ description: "Sub-folder path that it had; empty at the top" }),
    size: z.int(),
    deletedAt: Timestamp,
  })
  .meta({ id: "TrashedFile" })
export type TrashedFile = z.infer<typeof TrashedFile>

/** Response to an upload or a replacement. */
export const UploadReceipt = z
  .object({
    status: z.literal("accepted"),
    message: z.string(),
    collection: Id,
    files: z.array(
      z.object({
        id: Id,
        filename: z.string().meta({ description: "Normalised stored name" }),
        originalFilename: z.string(),
        client_id: z.string().nullable(),
        path: z.string(),
        size: z.int(),
        mimetype: z.string(),
        relativePath: z.string(),
      }),
    ),
    task_ids: z.array(Id),
  })
  .meta({ id: "UploadReceipt" })
export type UploadReceipt = z.infer<typeof UploadReceipt>

/** `quote` is what an email repeats of earlier ones below its own text. */
export const BlockKind = z.enum(["heading", "paragraph", "table-header", "table-row", "code", "quote"])
export type BlockKind = z.infer<typeof BlockKind>

/**
 * A block of the extracted text. ` | ` separates the cells of a table row. `area` is its area on the page in its location, if pages can be
 * shown.
 */
export const FileBlock = z.object({
  kind: BlockKind,
  text: z.string(),
  location: Location,
  area: PageArea.optional(),
})
export type FileBlock = z.infer<typeof FileBlock>

export const FileSort = z.enum(["name", "state", "size", "modified"])
export type FileSort = z.infer<typeof FileSort>

const base = "/api/public/vectors/:id/files" as const
const one = "/api/public/vectors/:id/files/:fileId" as const

const RelativePath = z.string().optional().meta({
  description:
    "Sub-folders and the file's name, such as `2026/invoice.pdf`; sub-folders that are missing are made",
})

const GeneratedByField = z
  .string()
  .max(2_000)
  .refine(isGeneratedBy, wrong("generated_by"))
  .optional()
  .meta({ description: "JSON of `GeneratedBy` for a file that a model wrote; it is marked as such" })

const fileForm = {
  file: ["file", "files"],
  maxFileBytes: 2 ** 30,
  fields: z.object({
    client_id: z.string().optional().meta({ description: "Comes back in the answer" }),
    lastModified: z
      .string()
      .regex(/^\d{1,15}$/, wrong("whole_from_to", { minimum: 0, maximum: 999_999_999_999_999 }))
      .optional()
      .meta({ description: "When the file was changed last, in ms since 1970; else it is now" }),
  }),
} as const

export const files = {
  upload: upload({
    method: "post",
    path: base,
    summary: "Upload one file; indexing follows in the background",
    scope: "folders",
    form: {
      ...fileForm,
      fields: fileForm.fields.extend({ relativePath: RelativePath, generatedBy: GeneratedByField }),
    },
    status: 202,
    output: UploadReceipt,
  }),
  list: json({
    method: "get",
    path: base,
    summary: "Files of a folder",
    scope: "folders",
    query: z.object({
      limit: queryInteger(1, 500, 100),
      offset: queryInteger(0, Number.MAX_SAFE_INTEGER, 0),
      status: FileStatus.optional(),
      search: searchQuery,
      sort: FileSort.optional().meta({ description: "The order in which they came unless given" }),
      order: z.enum(["asc", "desc"]).default("asc"),
    }),
    large: true,
    output: z.object({
      collection: Id,
      total: z.int(),
      limit: z.int(),
      offset: z.int(),
      files: z.array(FileEntry),
    }),
  }),
  read: json({
    method: "get",
    path: one,
    summary: "One file",
    scope: "folders",
    output: z.object({ file: FileEntry }),
  }),
  content: bytes({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/content",
    summary: "The file's bytes, always as a download; answers byte ranges",
    scope: "folders",
    mediaType: "application/octet-stream",
  }),
  text: bytes({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/text",
    summary: "The extracted text; `format=blocks` gives `{blocks:[{text,location}]}`",
    scope: "folders",
    query: z.object({ format: z.enum(["plain", "blocks"]).default("plain") }),
    mediaType: "text/plain",
  }),
  pages: json({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/pages",
    summary: "Pages of a PDF or a picture, the first 5,000; 415 for files without pages",
    scope: "folders",
    output: z.object({
      pages: z.array(z.object({ width: z.number(), height: z.number() })).meta({
        description: "Sizes as shown; only their proportions matter",
      }),
    }),
  }),
  page: bytes({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/pages/:page",
    summary: "A page as a picture, counted from 1",
    scope: "folders",
    query: z.object({ width: queryInteger(100, 2400, 1200) }),
    mediaType: "image/png",
  }),
  replace: upload({
    method: "put",
    path: one,
    summary: "Replace a file; it keeps its id and its sub-folder",
    scope: "folders",
    form: fileForm,
    status: 202,
    output: UploadReceipt,
  }),
  addUrl: json({
    method: "post",
    path: "/api/public/vectors/:id/urls",
    summary: "Fetch a web page and store it as a file; indexing follows in the background",
    scope: "folders",
    body: z.object({
      url: z.string().trim().min(1).max(4000).meta({ description: "Absolute http or https address" }),
      refreshHours: RefreshHours.optional().meta({ description: "Fetch it again every so many hours" }),
    }),
    status: 202,
    output: UploadReceipt,
  }),
  update: json({
    method: "patch",
    path: one,
    summary:
      "Leave a file out of the index or put it back in; how often a web page is fetched again; an encrypted file's password",
    scope: "folders",
    body: FilePatch,
    output: z.object({ file: FileEntry }),
  }),
  retry: json({
    method: "post",
    path: "/api/public/vectors/:id/files/:fileId/retry",
    summary: "Queue the file for indexing again, or fetch a web page again",
    scope: "folders",
    status: 202,
    output: z.object({ file: FileEntry }),
  }),
  retryFailed: json({
    method: "post",
    path: "/api/public/vectors/:id/retry",
    summary: "Queue every file of the folder that failed for indexing again",
    scope: "folders",
    status: 202,
    output: z.object({ queued: z.int().meta({ description: "How many failed files there were" }) }),
  }),
  remove: json({
    method: "delete",
    path: one,
    summary: "Delete a file; it stays in the box's trash for 30 days",
    scope: "folders",
    output: z.object({
      status: z.string(),
      deleted: z.boolean(),
      file_id: Id,
      errors: z.array(z.string()),
      undo: Undo,
    }),
  }),
  trash: json({
    method: "get",
    path: "/api/public/trash",
    summary: "Files that the caller deleted and the trash still has, newest first, 500 at most",
    scope: "folders",
    output: z.object({
      files: z.array(TrashedFile),
      count: z.int().meta({ description: "How many there are in all" }),
      bytes: z.int().meta({ description: "How large they are together" }),
    }),
  }),
  emptyTrash: json({
    method: "delete",
    path: "/api/public/trash",
    summary: "Delete for good every file that the caller's trash lists; one that is being put back stays",
    scope: "folders",
    output: z.object({ success: z.literal(true) }),
  }),
  removeTrashed: json({
    method: "delete",
    path: "/api/public/trash/:id",
    summary: "Delete for good one file in the trash",
    scope: "folders",
    output: z.object({ success: z.literal(true), id: z.string() }),
  }),
  putBack: json({
    method: "post",
    path: "/api/public/trash/:id/put-back",
    summary: "Put a deleted file back into its folder, where it is indexed anew",
    scope: "folders",
    output: z.object({ file: FileEntry }),
  }),
} as const
