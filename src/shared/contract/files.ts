import { z } from "zod"
import { Undo } from "./deletions.ts"
import { bytes, json, upload } from "./endpoint.ts"
import { Location, PageArea } from "./location.ts"
import { atMost, Id, queryInteger, searchQuery, Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

export const FileStatus = z.enum(["queued", "processing", "completed", "failed", "skipped"]).meta({
  id: "FileStatus",
  description:
    "Indexing status of a file. `completed`: it can be searched. `skipped`: it is stored but not indexed; `note` says why.",
})
export type FileStatus = z.infer<typeof FileStatus>

export const FilePhase = z
  .enum(["queued", "extracting", "ocr", "chunking", "embedding", "indexing", "done", "failed"])
  .meta({ id: "FilePhase", description: "Current step of indexing; `done` at the end." })
export type FilePhase = z.infer<typeof FilePhase>

const ReasonValues = z.record(z.string(), z.union([z.string(), z.number()]))

/** A sentence about a file, with its code and values for programs and translations; `file-reasons.ts` has the codes. */
export const FileReason = z
  .object({
    code: z
      .string()
      .describe(
        "Code of the sentence. New codes can be added: show the text of `error` or `note` for those that you don't know.",
      ),
    values: ReasonValues.optional().describe("Names and numbers in the sentence."),
    document: z
      .string()
      .optional()
      .describe("Name of the document inside the file that the sentence is about."),
    cause: z
      .object({
        code: z.string().describe("Code of the reason."),
        values: ReasonValues.optional().describe("Names and numbers in the reason."),
      })
      .optional()
      .describe("Reason why an embedded document was left out. Only for `embedded_left_out`."),
  })
  .meta({ id: "FileReason", description: "A sentence about a file as a code with values, for translation." })
export type FileReason = z.infer<typeof FileReason>

/** When and why a web page couldn't be fetched again. */
export const PageProblem = z.object({
  at: Timestamp.describe("When it happened."),
  error: z.string().describe("What happened, in a sentence for people."),
  sentence: SentenceBody.optional(),
})

/** Details of a file that is a copy of a web page. */
export const WebCopy = z
  .object({
    url: z.string().describe("Address of the web page."),
    refreshHours: z
      .int()
      .nullable()
      .describe("Hours between two downloads; null if the page is downloaded only once."),
    fetchedAt: Timestamp.describe("When the page was last downloaded, also if it hadn't changed."),
    refreshAt: Timestamp.nullable().describe("When the page is downloaded next; null if never."),
    problem: PageProblem.nullable().describe(
      "Why the last download failed; null if it didn't. The copy is kept.",
    ),
  })
  .meta({ id: "WebCopy", description: "The source of a file that is a copy of a web page." })
export type WebCopy = z.infer<typeof WebCopy>

/** Maximum hours between two downloads of a web page. */
export const maxRefreshHours = 8_760
const RefreshHours = z.int().min(1).max(maxRefreshHours).nullable()

/** Words that people and their assistants add to a file, to find it by. */
export const FileTags = z
  .array(atMost(40, z.string().trim().min(1)))
  .max(20)
  .meta({
    id: "FileTags",
    description: "Words that people and their assistants add to a file so that it can be found.",
  })

/** The model that wrote a file: a saved answer, or a note. */
export const GeneratedBy = z
  .object({
    chatId: z.string().min(1).max(256).describe("Chat in which the file was written."),
    assistantId: Id.nullable().describe("Assistant that wrote it; null if none did or it is unknown."),
    modelId: atMost(500).nullable().describe("Model that wrote it; null if unknown."),
  })
  .meta({ id: "GeneratedBy", description: "The model that wrote a file, such as a saved answer." })
export type GeneratedBy = z.infer<typeof GeneratedBy>

function isGeneratedBy(text: string): boolean {
  try {
    return GeneratedBy.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}

/** How much of a file's content is in the index. */
export const Completeness = z.enum(["whole", "partial", "none"]).meta({
  id: "Completeness",
  description:
    "How much of a file is in the index: everything (`whole`), a part (`partial`; `note` says what is missing), or nothing (`none`: the file failed, was skipped or left out, or has no text).",
})
export type Completeness = z.infer<typeof Completeness>

/** Encodings in which a text file can be read. */
export const TextEncoding = z
  .enum([
    "utf-8",
    "utf-16le",
    "utf-16be",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "windows-874",
    "iso-8859-2",
    "iso-8859-5",
    "iso-8859-7",
    "iso-8859-13",
    "iso-8859-15",
    "cp437",
    "cp850",
    "cp852",
    "cp866",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "big5",
    "euc-kr",
  ])
  .meta({ id: "TextEncoding", description: "An encoding in which a text file can be read." })
export type TextEncoding = z.infer<typeof TextEncoding>

/** The character between the cells of a CSV file. */
export const Delimiter = z
  .enum([",", ";", "\t", "|"])
  .meta({ id: "Delimiter", description: "The character that separates the cells of a CSV file." })
export type Delimiter = z.infer<typeof Delimiter>

/** How a text file is read, instead of as its bytes suggest. */
export const ReadAs = z
  .object({
    encoding: TextEncoding.nullish().describe("Encoding of the file; null reads it as its bytes suggest."),
    delimiter: Delimiter.nullish().describe("Delimiter of a CSV file; null reads it as its rows suggest."),
  })
  .meta({ id: "ReadAs", description: "How a text file is read, instead of as its bytes suggest." })
export type ReadAs = z.infer<typeof ReadAs>

/** A file in a folder. */
export const FileEntry = z
  .object({
    id: Id.describe("Identifier of the file. It stays the same when the file is replaced, renamed or moved."),
    name: z.string().describe("Name of the file."),
    folder: z.string().describe("Path of the sub-folder inside the folder; empty at the top."),
    relativePath: z.string().describe("Path of the file, beginning with the id of its folder."),
    size: z.int().describe("Size in bytes."),
    status: FileStatus,
    phase: FilePhase,
    progress: z.int().min(0).max(100).describe("Progress of indexing in percent; 100 at the end."),
    error: z
      .string()
      .nullable()
      .describe("Why indexing failed, in a sentence for people; null if it didn't."),
    note: z
      .string()
      .nullable()
      .describe(
        "What should be known about an indexed or skipped file, in a sentence for people; null if nothing.",
      ),
    reasons: z
      .array(FileReason)
      .optional()
      .describe("The sentences of `error` or `note` as codes with values."),
    completeness: Completeness.nullish().describe(
      "How much of the file is in the index; null until it has been read.",
    ),
    storage: z
      .enum(["local", "cloud"])
      .describe("`cloud` if the bytes are only in the cloud; `GET …/content` is then 415."),
    attempts: z.int().describe("How often indexing was tried."),
    web: WebCopy.nullish().describe("Source of the file if it is a copy of a web page; otherwise null."),
    leftOut: z
      .boolean()
      .optional()
      .describe("true if its owner excluded the file from search. The file stays as it is."),
    tags: FileTags.optional().describe("Tags of the file."),
    readAs: ReadAs.nullish().describe(
      "Encoding and delimiter that a person chose for reading the file; null if no one did.",
    ),
    generatedBy: GeneratedBy.nullish().describe(
      "Model that wrote the file; null if none did. Search and chat leave such files out unless `includeGenerated` is set.",
    ),
    date: Timestamp.describe(
      "Date that the content states, such as that of an email or a photo, otherwise `modifiedAt`.",
    ),
    dateFrom: z
      .enum(["content", "file"])
      .describe("Whether `date` comes from the content or from the file system."),
    modifiedAt: Timestamp.optional().describe("When the bytes last changed."),
    createdAt: Timestamp.describe("When the file was added."),
    updatedAt: Timestamp.describe("When the entry last changed."),
  })
  .meta({ id: "FileEntry", description: "A file in a folder." })
export type FileEntry = z.infer<typeof FileEntry>

export const FilePatch = z
  .object({
    leftOut: z.boolean().describe("true excludes the file from search. The file stays as it is."),
    readAs: ReadAs.nullable().describe(
      "Encoding and delimiter for reading a text file from now on; null reads it as its bytes suggest.",
    ),
    refreshHours: RefreshHours.describe("Hours between two downloads of a web page; null stops them."),
    password: z
      .string()
      .min(1)
      .max(200)
      .describe(
        "Password of an encrypted PDF or Office document, up to 200 characters. It is kept in memory only.",
      ),
  })
  .partial()
export type FilePatch = z.infer<typeof FilePatch>

/** A deleted file, while it is in the trash. */
export const TrashedFile = z
  .object({
    id: z.string().describe("Identifier of the entry in the trash. It isn't the id of the file."),
    vectorId: Id.describe("Folder that the file was in."),
    name: z.string().describe("Name of the file."),
    folder: z.string().describe("Path of the sub-folder that the file was in; empty at the top."),
    size: z.int().describe("Size in bytes."),
    deletedAt: Timestamp.describe("When the file was deleted. It is deleted permanently after 30 days."),
  })
  .meta({ id: "TrashedFile", description: "A deleted file in the trash." })
export type TrashedFile = z.infer<typeof TrashedFile>

/** Response to an upload or a replacement. */
export const UploadReceipt = z
  .object({
    status: z.literal("accepted").describe("Always `accepted`."),
    message: z.string().describe("What happens next, in a sentence for people."),
    collection: Id.describe("The folder."),
    files: z
      .array(
        z.object({
          id: Id.describe("Identifier of the file."),
          filename: z.string().describe("Name under which the file is stored, after normalisation."),
          originalFilename: z.string().describe("Name of the file as it was sent."),
          client_id: z.string().nullable().describe("`client_id` of the form; null if it had none."),
          path: z.string().describe("Path of the file inside the folder."),
          size: z.int().describe("Size in bytes."),
          mimetype: z.string().describe("Media type, detected from the content."),
          relativePath: z.string().describe("Path of the file, beginning with the id of its folder."),
        }),
      )
      .describe("The uploaded file, as a list with one entry."),
    task_ids: z.array(Id).describe("Identifiers of the indexing tasks."),
  })
  .meta({
    id: "UploadReceipt",
    description:
      "The response to an upload. The file is stored and queued; indexing follows in the background.",
  })
export type UploadReceipt = z.infer<typeof UploadReceipt>

/** `quote` is what an email repeats of earlier ones below its own text. `image` is text that OCR found in an image of the document. */
export const BlockKind = z.enum([
  "heading",
  "paragraph",
  "table-header",
  "table-row",
  "code",
  "quote",
  "image",
])
export type BlockKind = z.infer<typeof BlockKind>

/**
 * A block of the extracted text. ` | ` separates the cells of a table row. `area` is its area on the page in its location, if pages can be
 * shown.
 */
export const FileBlock = z.object({
  kind: BlockKind.describe("Kind of block."),
  text: z.string().describe("Text of the block."),
  location: Location,
  area: PageArea.optional().describe("Area of the text on its page. Missing if unknown."),
})
export type FileBlock = z.infer<typeof FileBlock>

export const FileSort = z.enum(["name", "state", "size", "modified"])
export type FileSort = z.infer<typeof FileSort>

const base = "/api/public/vectors/:id/files" as const
const one = "/api/public/vectors/:id/files/:fileId" as const

const RelativePath = z
  .string()
  .optional()
  .describe(
    "Path inside the folder with the file name as last segment, such as `2026/invoice.pdf`. Missing sub-folders are created.",
  )

const GeneratedByField = z
  .string()
  .max(2_000)
  .refine(isGeneratedBy, wrong("generated_by"))
  .optional()
  .describe("JSON object with `chatId`, `assistantId` and `modelId`, for a file that a model wrote.")

const fileForm = {
  file: ["file", "files"],
  maxFileBytes: 2 ** 30,
  fields: z.object({
    client_id: z.string().optional().describe("Any text; the response repeats it."),
    lastModified: z
      .string()
      .regex(/^\d{1,15}$/, wrong("whole_from_to", { minimum: 0, maximum: 999_999_999_999_999 }))
      .optional()
      .describe("When the file last changed, in milliseconds since 1970. Default: now."),
  }),
} as const

export const files = {
  upload: upload({
    method: "post",
    path: base,
    summary: "Upload a file",
    description:
      "Stores one file and queues it for indexing, which isn't finished when the response arrives. `GET` the file, or listen to the WebSocket, for its status.",
    errors: ["conflict", "quota_full", "unsupported_type", "file_too_large", "disk_full"],
    scope: "folders",
    form: {
      ...fileForm,
      fields: fileForm.fields.extend({
        relativePath: RelativePath.describe(
          "Path inside the folder with the file name as last segment. Missing sub-folders are created. Default: the file name at the top.",
        ),
        generatedBy: GeneratedByField.describe(
          "JSON object with `chatId`, `assistantId` and `modelId` if a model wrote the file.",
        ),
      }),
    },
    status: 202,
    output: UploadReceipt,
  }),
  list: json({
    method: "get",
    path: base,
    summary: "List files",
    description: "Returns the files of a folder, including its sub-folders.",
    scope: "folders",
    query: z.object({
      limit: queryInteger(1, 500, 100).describe("Files to return, 1 to 500."),
      offset: queryInteger(0, Number.MAX_SAFE_INTEGER, 0).describe("Files to skip."),
      status: FileStatus.optional().describe("Return only files with this indexing status."),
      completeness: Completeness.optional().describe("Return only files of which this much is in the index."),
      search: searchQuery.describe("Return only files whose name contains this text, in any case."),
      sort: FileSort.optional().describe("Field to sort by. Default: the order in which files were added."),
      order: z.enum(["asc", "desc"]).default("asc").describe("Direction of sorting."),
    }),
    large: true,
    output: z.object({
      collection: Id.describe("The folder."),
      total: z.int().describe("Files that match, on all pages."),
      limit: z.int().describe("Limit of the request."),
      offset: z.int().describe("Offset of the request."),
      files: z.array(FileEntry).describe("Files of this page."),
    }),
  }),
  read: json({
    method: "get",
    path: one,
    summary: "Get a file",
    description: "Returns one file with its indexing status.",
    scope: "folders",
    output: z.object({ file: FileEntry.describe("The file.") }),
  }),
  content: bytes({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/content",
    summary: "Download a file",
    description: "Returns the bytes of a file, always as a download. Byte ranges are supported.",
    errors: ["conflict", "unsupported_media_type", "range_not_satisfiable"],
    scope: "folders",
    mediaType: "application/octet-stream",
  }),
  text: bytes({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/text",
    summary: "Get the text of a file",
    description: "Returns the extracted text as plain text, or as blocks with their locations.",
    errors: ["conflict"],
    scope: "folders",
    query: z.object({
      format: z
        .enum(["plain", "blocks"])
        .default("plain")
        .describe("`plain` for text, `blocks` for JSON with blocks and their locations."),
    }),
    mediaType: "text/plain",
  }),
  preview: json({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/preview",
    summary: "Preview a text file",
    description:
      "Returns the first blocks of a text file as they would be read in an encoding. Stores nothing.",
    scope: "folders",
    query: z.object({
      encoding: TextEncoding.optional().describe("Encoding of the file. Default: as its bytes suggest."),
      delimiter: Delimiter.optional().describe("Delimiter of a CSV file. Default: as its rows suggest."),
    }),
    output: z.object({
      blocks: z.array(FileBlock).describe("The first blocks, at most 20 of 500 characters each."),
      reasons: z.array(FileReason).describe("The sentences that the note of the file would contain so far."),
    }),
  }),
  pages: json({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/pages",
    summary: "List the pages of a file",
    description: "Returns the pages of a PDF or an image, at most 5,000. Other files are 415.",
    errors: ["unsupported_media_type", "unprocessable", "conflict"],
    scope: "folders",
    output: z.object({
      pages: z
        .array(
          z.object({
            width: z.number().describe("Width of the page."),
            height: z.number().describe("Height of the page."),
          }),
        )
        .describe("Sizes of the pages as shown. Only their proportions matter."),
    }),
  }),
  page: bytes({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/pages/:page",
    summary: "Get a page as an image",
    description: "Returns one page of a PDF or an image.",
    errors: ["unsupported_media_type", "unprocessable", "conflict"],
    scope: "folders",
    query: z.object({
      width: queryInteger(100, 2400, 1200).describe("Width of the image in pixels, 100 to 2,400."),
    }),
    mediaType: "image/png",
  }),
  replace: upload({
    method: "put",
    path: one,
    summary: "Replace a file",
    description: "Stores new bytes under the same id, name and sub-folder, and indexes the file again.",
    errors: ["conflict", "quota_full", "unsupported_type", "file_too_large", "disk_full"],
    scope: "folders",
    form: fileForm,
    status: 202,
    output: UploadReceipt,
  }),
  addUrl: json({
    method: "post",
    path: "/api/public/vectors/:id/urls",
    summary: "Add a web page",
    description: "Downloads a web page and stores it as a file. Indexing follows in the background.",
    errors: ["forbidden_address", "local_only", "conflict", "quota_full", "unprocessable"],
    scope: "folders",
    body: z.object({
      url: z.string().trim().min(1).max(4000).describe("Absolute HTTP or HTTPS address."),
      refreshHours: RefreshHours.optional().describe(
        "Hours between two downloads of the page. Default: it is downloaded only once.",
      ),
    }),
    status: 202,
    output: UploadReceipt,
  }),
  update: json({
    method: "patch",
    path: one,
    summary: "Change a file",
    description:
      "Excludes a file from search or includes it again, sets how a text file is decoded and how often a web page is downloaded, or gives the password of an encrypted file.",
    errors: ["conflict"],
    scope: "folders",
    body: FilePatch,
    output: z.object({ file: FileEntry.describe("The changed file.") }),
  }),
  retry: json({
    method: "post",
    path: "/api/public/vectors/:id/files/:fileId/retry",
    summary: "Index a file again",
    description: "Queues the file for indexing, or downloads a web page again.",
    errors: ["conflict", "local_only"],
    scope: "folders",
    status: 202,
    output: z.object({ file: FileEntry.describe("The queued file.") }),
  }),
  retryFailed: json({
    method: "post",
    path: "/api/public/vectors/:id/retry",
    summary: "Index failed files again",
    description: "Queues every file of the folder whose indexing failed.",
    scope: "folders",
    status: 202,
    output: z.object({ queued: z.int().describe("Files that were queued.") }),
  }),
  remove: json({
    method: "delete",
    path: one,
    summary: "Delete a file",
    description:
      "Moves a file to the trash, where it is kept for 30 days. The deletion can be undone with the returned token.",
    errors: ["conflict"],
    scope: "folders",
    output: z.object({
      status: z.string().describe("`success` if the file was deleted."),
      deleted: z.boolean().describe("true if the file was deleted."),
      file_id: Id.describe("Identifier of the deleted file."),
      errors: z
        .array(z.string())
        .describe("What couldn't be deleted, as sentences for people; usually empty."),
      undo: Undo,
    }),
  }),
  trash: json({
    method: "get",
    path: "/api/public/trash",
    summary: "List the trash",
    description: "Returns files that the caller deleted, newest first, at most 500.",
    scope: "folders",
    output: z.object({
      files: z.array(TrashedFile).describe("Deleted files, newest first."),
      count: z.int().describe("Deleted files in total."),
      bytes: z.int().describe("Their size in bytes."),
    }),
  }),
  emptyTrash: json({
    method: "delete",
    path: "/api/public/trash",
    summary: "Empty the trash",
    description:
      "Permanently deletes every file in the caller's trash, except files that are being restored.",
    scope: "folders",
    output: z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") }),
  }),
  removeTrashed: json({
    method: "delete",
    path: "/api/public/trash/:id",
    summary: "Delete a file permanently",
    description: "Permanently deletes one file in the trash.",
    scope: "folders",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: z.string().describe("Identifier of the entry that was deleted."),
    }),
  }),
  putBack: json({
    method: "post",
    path: "/api/public/trash/:id/put-back",
    summary: "Restore a file from the trash",
    description: "Puts a deleted file back into its folder and indexes it again.",
    errors: ["conflict", "quota_full"],
    scope: "folders",
    output: z.object({ file: FileEntry.describe("The restored file.") }),
  }),
} as const
