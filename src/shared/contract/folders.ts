import { z } from "zod"
import { Undo } from "./deletions.ts"
import { json } from "./endpoint.ts"
import { FileFilter } from "./file-filter.ts"
import { Location } from "./location.ts"
import { atMost, HexColor, IconName, Id, Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"

export const Strategy = z.enum(["hybrid", "semantic", "keyword"]).meta({
  id: "Strategy",
  description: "How a folder is searched. `keyword`: by words. `semantic`: by meaning. `hybrid`: by both.",
})
export type Strategy = z.infer<typeof Strategy>

export const Visibility = z.enum(["PRIVATE", "TEAM", "PUBLIC"]).meta({
  id: "Visibility",
  description:
    "Who can use it. `PRIVATE`: only its owner. `TEAM`: the people of the workspace. `PUBLIC`: everyone on this server.",
})
export type Visibility = z.infer<typeof Visibility>

/** Whether a folder's content may be sent to remote models: its text and its file names. */
export const FolderRemote = z.enum(["allowed", "never"]).meta({
  id: "FolderRemote",
  description:
    "Whether text, images and file names of a folder may be sent to models on other computers. `never` keeps them on this computer.",
})
export type FolderRemote = z.infer<typeof FolderRemote>

/** Whether images in a folder's documents are read by OCR and described by a model. */
export const FolderImages = z.enum(["none", "text", "description"]).meta({
  id: "FolderImages",
  description:
    "Whether the images in a folder's documents are read. `text`: the text in them, by OCR, which takes seconds for each image. `description`: also a description of each image by the chat model in use, if it supports images and may read the folder; it takes one request for each image. `none`: nothing. The text of scanned pages and image files is always read.",
})
export type FolderImages = z.infer<typeof FolderImages>

const TopK = z.int().min(1).max(50)

/** A folder in lists. */
export const FolderEntry = z
  .object({
    id: Id.describe("Identifier of the folder; `vector` and `vectorIds` take it."),
    name: z.string().describe("Name of the folder, up to 120 characters."),
    description: z.string().describe("Description of the folder."),
    folder: z.string().describe("Path of the folder in the file system of the server."),
    iconName: z
      .string()
      .optional()
      .describe("Name of the icon (PascalCase, from Lucide). Missing if there is none."),
    accentColor: z
      .string()
      .optional()
      .describe("Colour of the icon, as `#RRGGBB`. Missing if there is none."),
    createdAt: Timestamp.describe("When the folder was created."),
    visibility: Visibility,
    remote: FolderRemote,
    owned: z.boolean().describe("true if the caller owns the folder and can change it."),
    fileCount: z.int().describe("Files in the folder."),
    pendingCount: z.int().describe("Files that wait for indexing or are being indexed."),
    failedCount: z.int().describe("Files whose indexing failed."),
    missing: z
      .literal(true)
      .optional()
      .describe("true if the directory of a watched folder is missing or has lost files."),
  })
  .meta({ id: "FolderEntry", description: "A folder in a list." })
export type FolderEntry = z.infer<typeof FolderEntry>

export const HiddenParts = z
  .enum(["skip", "mark"])
  .describe(
    "`skip` leaves out hidden rows, columns and sheets of workbooks and hidden text of documents; `mark` reads them, marked `(hidden)`.",
  )
export type HiddenParts = z.infer<typeof HiddenParts>

/** A folder read by id. */
export const Folder = FolderEntry.extend({
  topK: z.int().describe("Passages that a search returns."),
  filter: z.int().describe("Minimum relevance in percent. Passages below it are dropped."),
  strategy: Strategy,
  includeGenerated: z.boolean().describe("true if files that a model wrote are searched and read as well."),
  hiddenParts: HiddenParts,
  images: FolderImages,
  pipeline: z.enum(["full", "light"]).describe("`full` accepts all formats, `light` only PDF and images."),
  watched: z.boolean().describe("true if the folder follows a directory of the user."),
  paused: z.boolean().describe("true while indexing is paused."),
  available: z
    .boolean()
    .describe(
      "false while the directory can't be reached, such as on a drive that isn't connected, or has lost files.",
    ),
  completeness: z
    .object({
      whole: z.int().describe("Files of which everything is in the index."),
      partial: z.int().describe("Files of which a part is missing; `note` says which."),
      none: z.int().describe("Files of which nothing is in the index."),
    })
    .describe("How many files were read completely, in part and not at all."),
  outdatedCount: z
    .int()
    .describe(
      "Indexed files that are read again in the background, because a newer version reads more of them. Until then, their previous text is searched.",
    ),
  withoutImagesCount: z
    .int()
    .describe(
      "Indexed documents that may have images and were read without them. If `images` is set to `text`, they are read again.",
    ),
  missingCount: z
    .int()
    .describe(
      "Files that disappeared from the directory, too many at once to count as deleted. They stay searchable until they return or are forgotten.",
    ),
}).meta({ id: "Folder", description: "A folder with its search settings." })
export type Folder = z.infer<typeof Folder>

/** The expected cost of describing the images of a folder. */
export const ImageCosts = z
  .object({
    images: z.int().describe("Images without a description. Estimated if not all documents were examined."),
    documents: z.int().describe("Documents that may have images."),
    examined: z.int().describe("Of these, the documents whose images were counted for the estimate."),
    model: z
      .string()
      .nullable()
      .describe("The chat model in use that would describe them; null if none can."),
    obstacle: z
      .string()
      .nullable()
      .describe(
        "Why images of the folder can't be described now, in a sentence for people; null if they can.",
      ),
    sentence: SentenceBody.optional(),
    seconds: z.int().nullable().describe("Expected time for all of them, in seconds; null without a model."),
    isMeasured: z
      .boolean()
      .describe("true if the time is based on descriptions that this model wrote since the server started."),
    tokens: z
      .int()
      .nullable()
      .describe(
        "Expected number of tokens that the model server counts for all of them; null without a model. The price depends on the server.",
      ),
  })
  .meta({ id: "ImageCosts", description: "The expected cost of describing the images of a folder." })
export type ImageCosts = z.infer<typeof ImageCosts>

export const IncludeGenerated = z.boolean().describe("true also searches files that a model wrote.")

const folderFields = {
  name: atMost(120, z.string().trim().min(1)).describe("Name of the folder, up to 120 characters."),
  description: atMost(2000)
    .nullish()
    .describe(
      "Description of the folder, up to 2,000 characters. Models read it when they choose where to search.",
    ),
  topK: TopK.nullish().describe("Passages that a search returns."),
  filter: z
    .int()
    .min(0)
    .max(100)
    .nullish()
    .describe("Minimum relevance in percent, 0 to 100. Passages below it are dropped."),
  strategy: Strategy.nullish().describe("How the folder is searched, `hybrid` by default."),
  visibility: Visibility.nullish().describe("Who can search the folder, `PRIVATE` by default."),
  remote: FolderRemote.nullish().describe(
    "Whether text of the folder may be sent to models on other computers, `allowed` by default. Changing `never` to `allowed` needs full rights.",
  ),
  includeGenerated: IncludeGenerated.nullish().describe(
    "true also searches files that a model wrote. Default false.",
  ),
  hiddenParts: HiddenParts.nullish().describe(
    "What to do with hidden parts of documents. Default `skip`. After a change, the files that may contain some are read again in the background.",
  ),
  images: FolderImages.nullish().describe(
    "Whether the images in documents are read, `none` by default. After a change to `text` or `description`, documents are read again in the background; `text` removes descriptions. After a change to `none`, text and descriptions that were found stay.",
  ),
  iconName: IconName.nullish().describe("Name of an icon (PascalCase, from Lucide)."),
  accentColor: HexColor.nullish().describe("Colour of the icon, as `#RRGGBB`."),
}

export const FolderDraft = z.object({
  ...folderFields,
  folder: z
    .string()
    .min(1)
    .max(4096)
    .nullish()
    .describe(
      "Absolute path of an existing directory to watch. Default: the server creates and manages one. Needs full rights.",
    ),
  pipeline: z
    .enum(["full", "light"])
    .nullish()
    .describe(
      "`full` (the default) accepts all formats, `light` only PDF and images. It can't be changed later.",
    ),
})
export type FolderDraft = z.infer<typeof FolderDraft>

export const FolderPatch = z
  .object({
    ...folderFields,
    paused: z.boolean().describe("true pauses indexing."),
    folder: z
      .string()
      .min(1)
      .max(4096)
      .describe("New path of a watched directory. Its files keep their ids and index."),
  })
  .partial()
export type FolderPatch = z.infer<typeof FolderPatch>

/** A part of a document that a search found. */
export const Passage = z
  .object({
    id: Id.describe("Identifier of the passage. It is gone once its document is read again."),
    fileId: Id.describe("File of the passage."),
    fileName: z.string().describe("Name of the file."),
    vectorId: Id.describe("Folder of the file."),
    relativePath: z.string().describe("Path of the file, beginning with the id of its folder."),
    text: z.string().describe("Text of the passage."),
    location: Location,
    score: z.number().min(0).max(1).describe("Relevance from 0 to 1."),
    rank: z
      .object({
        keyword: z.int().optional().describe("Place in the ranking by words."),
        semantic: z.int().optional().describe("Place in the ranking by meaning."),
        name: z
          .int()
          .optional()
          .describe("Place of its file among files whose names contain words of the query."),
        rerank: z.int().optional().describe("Place in the ranking of the reranking model."),
      })
      .describe("Place of the passage in each ranking that contains it, from 1."),
    position: z.int().optional().describe("Number of the passage in its document, from 0."),
    generated: z.literal(true).optional().describe("true if a model wrote the file."),
    alsoIn: z
      .array(
        z.object({
          fileId: Id.describe("The file."),
          fileName: z.string().describe("Name of the file."),
          vectorId: Id.describe("Folder of the file."),
          relativePath: z.string().describe("Path of the file, beginning with the id of its folder."),
        }),
      )
      .optional()
      .describe("Other files with the same text."),
  })
  .meta({ id: "Passage", description: "A part of a document that a search found." })
export type Passage = z.infer<typeof Passage>

/** A passage on its own, as it is in its document. */
export const StoredPassage = Passage.omit({ score: true, rank: true, alsoIn: true }).meta({
  id: "StoredPassage",
  description: "A passage as it is in its document, without the ranks of a search.",
})
export type StoredPassage = z.infer<typeof StoredPassage>

export const Notice = z
  .object({
    code: z.string().describe("Code of the notice for programs."),
    message: z.string().describe("The notice, in a sentence for people."),
    sentence: SentenceBody.optional(),
  })
  .meta({ id: "Notice", description: "Something to know about a search or an answer." })
/** Created from a sentence by `createNotice`. Stored notices may be older and lack the sentence. */
export type Notice = z.infer<typeof Notice> & { sentence: SentenceBody | undefined }

export const folders = {
  list: json({
    method: "get",
    path: "/api/public/vectors",
    summary: "List folders",
    description:
      "Returns the folders that the caller can search: their own and those shared with them. All folders are in one response.",
    scope: "folders",
    large: true,
    output: z.object({ vectors: z.array(FolderEntry).describe("Folders that the caller can search.") }),
  }),
  create: json({
    method: "post",
    path: "/api/public/vectors",
    summary: "Create a folder",
    description:
      "Creates an empty folder for uploads, or watches an existing directory (`folder`), whose files are then kept in sync.",
    errors: ["conflict", "unprocessable"],
    scope: "folders",
    body: FolderDraft,
    status: 201,
    output: z.object({ vector: Folder.describe("The new folder.") }),
  }),
  search: json({
    method: "post",
    path: "/api/public/vectors/search",
    summary: "Search folders",
    description:
      "Returns the passages that a question would find, with their ranks. No chat model is needed.",
    errors: ["not_found"],
    scope: "folders",
    reads: true,
    body: z.object({
      query: atMost(4000, z.string().trim().min(1)).describe("Text to search for, up to 4,000 characters."),
      vector: z.array(Id).min(1).max(50).describe("Folders to search, 1 to 50."),
      topK: TopK.optional().describe("Passages to return. Default: the highest setting of the folders."),
      strategy: Strategy.optional().describe("How to search. Default: the setting of the folders."),
      includeGenerated: IncludeGenerated.optional().describe(
        "true also searches files that a model wrote. Default: the setting of each folder.",
      ),
      filter: FileFilter.nullish().describe("Restricts which files are searched."),
    }),
    output: z.object({
      results: z.array(Passage).describe("Passages found, best first."),
      strategy: Strategy,
      notices: z
        .array(Notice)
        .describe("What should be known about the results, such as files that are still being indexed."),
    }),
  }),
  read: json({
    method: "get",
    path: "/api/public/vectors/:id",
    summary: "Get a folder",
    description: "Returns one folder with its search settings.",
    scope: "folders",
    output: z.object({ vector: Folder.describe("The folder.") }),
  }),
  passage: json({
    method: "get",
    path: "/api/public/vectors/:id/passages/:passageId",
    summary: "Get a passage",
    description:
      "Returns one passage, such as the one that a citation links to. 404 if its document has been read again since.",
    scope: "folders",
    output: z.object({ passage: StoredPassage.describe("The passage.") }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/vectors/:id",
    summary: "Change a folder",
    description: "Owner only. Omitted fields keep their value.",
    errors: ["conflict", "unprocessable"],
    scope: "folders",
    body: FolderPatch,
    output: z.object({ vector: Folder.describe("The changed folder.") }),
  }),
  imageCosts: json({
    method: "get",
    path: "/api/public/vectors/:id/image-costs",
    summary: "Estimate the cost of image descriptions",
    description:
      "Estimates what it takes to describe the images in a folder's documents, before `images` is set to `description`. Documents that were read without their images are sampled, which can take some seconds. Nothing is sent to a model. Owner only.",
    scope: "folders",
    output: z.object({ costs: ImageCosts }),
  }),
  forgetMissing: json({
    method: "post",
    path: "/api/public/vectors/:id/forget-missing",
    summary: "Forget missing files",
    description: "Treats files that disappeared from a watched directory as deleted. Owner only.",
    errors: ["conflict"],
    scope: "folders",
    output: z.object({ vector: Folder.describe("The folder.") }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/vectors/:id",
    summary: "Delete a folder",
    description:
      "Owner only. The files of a watched directory stay where they are. The deletion can be undone with the returned token.",
    scope: "folders",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: Id.describe("Identifier of the deleted folder."),
      undo: Undo,
    }),
  }),
} as const
