import { z } from "zod"
import { Undo } from "./deletions.ts"
import { json } from "./endpoint.ts"
import { FileFilter } from "./file-filter.ts"
import { Location } from "./location.ts"
import { atMost, HexColor, IconName, Id, Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"

export const Strategy = z
  .enum(["hybrid", "semantic", "keyword"])
  .meta({ id: "Strategy", description: "hybrid fuses keyword and semantic rankings" })
export type Strategy = z.infer<typeof Strategy>

export const Visibility = z.enum(["PRIVATE", "TEAM", "PUBLIC"]).meta({ id: "Visibility" })
export type Visibility = z.infer<typeof Visibility>

/** Whether a folder's content may be sent to remote models: its text and its file names. */
export const FolderRemote = z.enum(["allowed", "never"]).meta({
  id: "FolderRemote",
  description: "`never`: it stays here, and no model on a server gets to see it",
})
export type FolderRemote = z.infer<typeof FolderRemote>

const TopK = z.int().min(1).max(50)

/** A folder in lists. */
export const FolderEntry = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string(),
    folder: z.string().meta({ description: "File system path" }),
    iconName: z.string().optional(),
    accentColor: z.string().optional(),
    createdAt: Timestamp,
    visibility: Visibility,
    remote: FolderRemote,
    owned: z.boolean().meta({ description: "Whether the caller owns the folder" }),
    fileCount: z.int(),
    pendingCount: z.int().meta({ description: "Files that wait for indexing or are being indexed" }),
    failedCount: z.int(),
    missing: z.literal(true).optional().meta({
      description: "In lists: its directory isn't there, or lost files; read it for which",
    }),
  })
  .meta({ id: "FolderEntry" })
export type FolderEntry = z.infer<typeof FolderEntry>

/** A folder read by id. */
export const Folder = FolderEntry.extend({
  topK: z.int(),
  filter: z.int().meta({ description: "Passages whose relevance is below this percentage are dropped" }),
  strategy: Strategy,
  includeGenerated: z
    .boolean()
    .meta({ description: "Whether files that a model wrote are found and read as well" }),
  pipeline: z.enum(["full", "light"]).meta({ description: "light takes PDF and images only" }),
  watched: z.boolean().meta({ description: "A directory of the user's own that is followed" }),
  paused: z.boolean().meta({ description: "Also while the folder isn't available" }),
  available: z.boolean().meta({
    description:
      "False while the directory isn't there, such as that of a drive which isn't connected, or files of it are missing",
  }),
  missingCount: z.int().meta({
    description:
      "Files that the directory lost, too many at once to be taken for deleted; they stay findable until they are back or forgotten",
  }),
}).meta({ id: "Folder" })
export type Folder = z.infer<typeof Folder>

export const IncludeGenerated = z
  .boolean()
  .meta({ description: "Whether files that a model wrote (`generatedBy`) are found and read as well" })

const folderFields = {
  name: atMost(120, z.string().trim().min(1)),
  description: atMost(2000).nullish(),
  topK: TopK.nullish(),
  filter: z.int().min(0).max(100).nullish(),
  strategy: Strategy.nullish(),
  visibility: Visibility.nullish(),
  remote: FolderRemote.nullish(),
  includeGenerated: IncludeGenerated.nullish(),
  iconName: IconName.nullish(),
  accentColor: HexColor.nullish(),
}

export const FolderDraft = z.object({
  ...folderFields,
  folder: z
    .string()
    .min(1)
    .max(4096)
    .nullish()
    .meta({ description: "Absolute path of an existing directory to watch; otherwise the box makes one" }),
  pipeline: z.enum(["full", "light"]).nullish(),
})
export type FolderDraft = z.infer<typeof FolderDraft>

export const FolderPatch = z
  .object({
    ...folderFields,
    paused: z.boolean(),
    folder: z.string().min(1).max(4096).meta({
      description: "New place of a directory that is followed; its files keep what is known of them",
    }),
  })
  .partial()
export type FolderPatch = z.infer<typeof FolderPatch>

/** A part of a document that a search found. */
export const Passage = z
  .object({
    id: Id,
    fileId: Id,
    fileName: z.string(),
    vectorId: Id,
    relativePath: z.string(),
    text: z.string(),
    location: Location,
    score: z.number().min(0).max(1),
    rank: z
      .object({
        keyword: z.int().optional(),
        semantic: z.int().optional(),
        name: z.int().optional(),
        rerank: z.int().optional(),
      })
      .meta({
        description:
          "Its place in each ranking that holds it, from 1; name is its file's among those whose names hold words of the question, rerank is the reranking model's",
      }),
    position: z.int().optional().meta({ description: "Number of the passage in its document, from 0" }),
    generated: z.literal(true).optional().meta({ description: "A model wrote its file" }),
    alsoIn: z
      .array(z.object({ fileId: Id, fileName: z.string(), vectorId: Id, relativePath: z.string() }))
      .optional()
      .meta({ description: "Other files that hold the same text" }),
  })
  .meta({ id: "Passage" })
export type Passage = z.infer<typeof Passage>

/** A passage on its own, as it is in its document. */
export const StoredPassage = Passage.omit({ score: true, rank: true, alsoIn: true }).meta({
  id: "StoredPassage",
})
export type StoredPassage = z.infer<typeof StoredPassage>

export const Notice = z
  .object({ code: z.string(), message: z.string(), sentence: SentenceBody.optional() })
  .meta({ id: "Notice" })
/** Created from a sentence by `createNotice`. Stored notices may be older and lack the sentence. */
export type Notice = z.infer<typeof Notice> & { sentence: SentenceBody | undefined }

export const folders = {
  list: json({
    method: "get",
    path: "/api/public/vectors",
    summary: "Folders the caller may search",
    scope: "folders",
    large: true,
    output: z.object({ vectors: z.array(FolderEntry) }),
  }),
  create: json({
    method: "post",
    path: "/api/public/vectors",
    summary: "Create a folder, or watch a directory of the user's own",
    scope: "folders",
    body: FolderDraft,
    status: 201,
    output: z.object({ vector: Folder }),
  }),
  search: json({
    method: "post",
    path: "/api/public/vectors/search",
    summary: "What chat would retrieve, and why",
    scope: "folders",
    reads: true,
    body: z.object({
      query: atMost(4000, z.string().trim().min(1)),
      vector: z.array(Id).min(1).max(50),
      topK: TopK.optional(),
      strategy: Strategy.optional(),
      includeGenerated: IncludeGenerated.optional(),
      filter: FileFilter.nullish(),
    }),
    output: z.object({ results: z.array(Passage), strategy: Strategy, notices: z.array(Notice) }),
  }),
  read: json({
    method: "get",
    path: "/api/public/vectors/:id",
    summary: "One folder",
    scope: "folders",
    output: z.object({ vector: Folder }),
  }),
  passage: json({
    method: "get",
    path: "/api/public/vectors/:id/passages/:passageId",
    summary: "One passage, such as a citation's link names; gone when its document has been read anew",
    scope: "folders",
    output: z.object({ passage: StoredPassage }),
  }),
  update: json({
    method: "patch",
    path: "/api/public/vectors/:id",
    summary: "Change a folder (owner only); `remote` from `never` to `allowed` needs full rights",
    scope: "folders",
    body: FolderPatch,
    output: z.object({ vector: Folder }),
  }),
  forgetMissing: json({
    method: "post",
    path: "/api/public/vectors/:id/forget-missing",
    summary: "Take the files that are missing for deleted (owner only)",
    scope: "folders",
    output: z.object({ vector: Folder }),
  }),
  remove: json({
    method: "delete",
    path: "/api/public/vectors/:id",
    summary: "Delete a folder (owner only); a watched directory's files stay where they are",
    scope: "folders",
    output: z.object({ success: z.literal(true), id: Id, undo: Undo }),
  }),
} as const
