import { z } from "zod"
import { json } from "./endpoint.ts"
import { FileEntry, FileTags } from "./files.ts"
import { atMost, Id, pageQuery, Pagination, Timestamp } from "./primitives.ts"

/** Maximum number of characters of a note. */
export const maxNoteLength = 100_000

export const FilingAction = z.enum(["rename", "move", "tag", "note"]).meta({ id: "FilingAction" })
export type FilingAction = z.infer<typeof FilingAction>

/** A file's location and name. */
export const FiledAs = z
  .object({
    vectorId: Id,
    folder: z.string().meta({ description: "Sub-folder path inside the folder; empty at the top" }),
    name: z.string(),
    tags: FileTags,
  })
  .meta({ id: "FiledAs" })
export type FiledAs = z.infer<typeof FiledAs>

/** A change to a file's name, location or tags, or a note written next to it (docs/filing.md). */
export const Filing = z
  .object({
    id: Id,
    action: FilingAction,
    fileId: Id.meta({ description: "Of the file that was changed; of a note, the note's own" }),
    besideId: Id.nullable().meta({ description: "Of a note: the file that it was written beside" }),
    was: FiledAs.nullable().meta({ description: "Null of a note" }),
    became: FiledAs,
    chatId: Id.nullable().meta({ description: "The conversation in which a model did it" }),
    createdAt: Timestamp,
    undoneAt: Timestamp.nullable(),
  })
  .meta({ id: "Filing" })
export type Filing = z.infer<typeof Filing>

/** A name without folders; the file's extension is kept. */
const Name = atMost(200, z.string().trim().min(1))
const SubFolder = atMost(1_000, z.string().trim()).meta({
  description: "Sub-folders that are missing are made",
})

export const FilingDraft = z
  .discriminatedUnion("action", [
    z.object({ action: z.literal("rename"), fileId: Id, name: Name }),
    z.object({ action: z.literal("move"), fileId: Id, vectorId: Id, folder: SubFolder.default("") }),
    z.object({ action: z.literal("tag"), fileId: Id, tags: FileTags }),
    z.object({
      action: z.literal("note"),
      fileId: Id,
      name: Name.optional().meta({ description: "Else it is called as the file, with .md" }),
      content: atMost(maxNoteLength, z.string().min(1)),
    }),
  ])
  .meta({ id: "FilingDraft" })
export type FilingDraft = z.infer<typeof FilingDraft>

export const HistoryStep = z
  .enum(["matched", "read", "proposed", "allowed", "denied", "expired", "done", "undone"])
  .meta({ id: "FileHistoryStep" })
export type HistoryStep = z.infer<typeof HistoryStep>

/** A step in a file's history. */
export const HistoryEntry = z
  .object({
    at: Timestamp,
    step: HistoryStep,
    action: FilingAction.nullable().meta({ description: "Null for `matched` and `read`" }),
    chatId: Id.nullable(),
    filingId: Id.nullable().meta({ description: "Of `done` and `undone`" }),
    automation: z.string().nullable().meta({ description: "Of `matched`: the automation's name" }),
    by: z
      .string()
      .nullable()
      .meta({ description: "Name of the person who allowed, denied, did or undid it" }),
    from: z.string().nullable().meta({ description: "What it was: a name, folder and path, or tags" }),
    to: z.string().nullable().meta({ description: "What it is to be, or became" }),
  })
  .meta({ id: "FileHistoryEntry" })
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** Only owners of folders may change the files in them. */
export const filing = {
  list: json({
    method: "get",
    path: "/api/public/filings",
    summary: "What was renamed, moved, tagged and written beside files of the caller's, newest first",
    scope: "folders",
    query: z.object({ ...pageQuery, fileId: Id.optional() }),
    output: z.object({ filings: z.array(Filing), pagination: Pagination }),
  }),
  file: json({
    method: "post",
    path: "/api/public/filings",
    summary: "Rename, move or tag a file, or write a Markdown note beside it",
    scope: "folders",
    body: FilingDraft,
    status: 201,
    output: z.object({ filing: Filing, file: FileEntry }),
  }),
  undo: json({
    method: "post",
    path: "/api/public/filings/:id/undo",
    summary: "Give a file back its name, place or tags; a note goes to the trash",
    scope: "folders",
    output: z.object({ filing: Filing }),
  }),
  history: json({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/history",
    summary: "What was done with a file, the newest 200 steps, newest first",
    scope: "folders",
    output: z.object({ history: z.array(HistoryEntry) }),
  }),
} as const
