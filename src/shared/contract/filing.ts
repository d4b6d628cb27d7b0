import { z } from "zod"
import { json } from "./endpoint.ts"
import { FileEntry, FileTags } from "./files.ts"
import { atMost, Id, pageQuery, Pagination, Timestamp } from "./primitives.ts"

/** Maximum number of characters of a note. */
export const maxNoteLength = 100_000

export const FilingAction = z
  .enum(["rename", "move", "tag", "note"])
  .meta({ id: "FilingAction", description: "What was done with a file." })
export type FilingAction = z.infer<typeof FilingAction>

/** A file's location and name. */
export const FiledAs = z
  .object({
    vectorId: Id.describe("Folder of the file."),
    folder: z.string().describe("Path of the sub-folder inside the folder; empty at the top."),
    name: z.string().describe("Name of the file."),
    tags: FileTags,
  })
  .meta({ id: "FiledAs", description: "The location, name and tags of a file." })
export type FiledAs = z.infer<typeof FiledAs>

/** A change to a file's name, location or tags, or a note written next to it (docs/filing.md). */
export const Filing = z
  .object({
    id: Id.describe("Identifier of the change."),
    action: FilingAction,
    fileId: Id.describe("File that was changed, or the note."),
    besideId: Id.nullable().describe("File that the note was written next to; null for other actions."),
    was: FiledAs.nullable().describe("Location, name and tags before; null for a note."),
    became: FiledAs.describe("Location, name and tags afterwards."),
    chatId: Id.nullable().describe("Chat in which a model made the change; null if a person did."),
    createdAt: Timestamp.describe("When the change was made."),
    undoneAt: Timestamp.nullable().describe("When the change was undone; null if it wasn't."),
  })
  .meta({
    id: "Filing",
    description: "A change to a file's name, location or tags, or a note written next to it.",
  })
export type Filing = z.infer<typeof Filing>

/** A name without folders; the file's extension is kept. */
const Name = atMost(200, z.string().trim().min(1))
const SubFolder = atMost(1_000, z.string().trim()).describe(
  "Path of a sub-folder. Missing sub-folders are created.",
)

export const FilingDraft = z
  .discriminatedUnion("action", [
    z.object({
      action: z.literal("rename").describe("Renames a file."),
      fileId: Id.describe("File to rename."),
      name: Name.describe("New name, with extension."),
    }),
    z.object({
      action: z.literal("move").describe("Moves a file."),
      fileId: Id.describe("File to move."),
      vectorId: Id.describe("Folder to move it to."),
      folder: SubFolder.default("").describe("Sub-folder to move it to. Default: the top of the folder."),
    }),
    z.object({
      action: z.literal("tag").describe("Replaces the tags of a file."),
      fileId: Id.describe("File to tag."),
      tags: FileTags.describe("All tags of the file."),
    }),
    z.object({
      action: z.literal("note").describe("Writes a note next to a file."),
      fileId: Id.describe("File that the note is about."),
      name: Name.optional().describe("Name of the note. Default: the name of the file with `.md`."),
      content: atMost(maxNoteLength, z.string().min(1)).describe("Text of the note, in Markdown."),
    }),
  ])
  .meta({ id: "FilingDraft", description: "A change to make." })
export type FilingDraft = z.infer<typeof FilingDraft>

export const HistoryStep = z
  .enum(["matched", "read", "proposed", "allowed", "denied", "expired", "done", "undone"])
  .meta({ id: "FileHistoryStep", description: "A step in the history of a file." })
export type HistoryStep = z.infer<typeof HistoryStep>

/** A step in a file's history. */
export const HistoryEntry = z
  .object({
    at: Timestamp.describe("When the step happened."),
    step: HistoryStep.describe("What happened."),
    action: FilingAction.nullable().describe("What was done with the file; null for `matched` and `read`."),
    chatId: Id.nullable().describe("Chat in which it happened; null if it wasn't in a chat."),
    filingId: Id.nullable().describe("The change, for `done` and `undone`; otherwise null."),
    automation: z.string().nullable().describe("Name of the automation, for `matched`; otherwise null."),
    by: z
      .string()
      .nullable()
      .describe("Name of the person who allowed, denied, made or undid the change; null if no person did."),
    from: z.string().nullable().describe("Name, path or tags before; null if nothing changed."),
    to: z.string().nullable().describe("Name, path or tags afterwards; null if nothing changes."),
  })
  .meta({ id: "FileHistoryEntry", description: "A step in the history of a file." })
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** Only owners of folders may change the files in them. */
export const filing = {
  list: json({
    method: "get",
    path: "/api/public/filings",
    summary: "List changes to files",
    description: "Returns files of the caller that were renamed, moved, tagged or annotated, newest first.",
    scope: "folders",
    query: z.object({ ...pageQuery, fileId: Id.optional().describe("Return only changes to this file.") }),
    output: z.object({
      filings: z.array(Filing).describe("Changes of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  file: json({
    method: "post",
    path: "/api/public/filings",
    summary: "Change or annotate a file",
    description: "Renames, moves or tags a file, or writes a Markdown note next to it.",
    errors: ["not_found", "conflict", "quota_full"],
    scope: "folders",
    body: FilingDraft,
    status: 201,
    output: z.object({
      filing: Filing.describe("The change."),
      file: FileEntry.describe("The file afterwards, or the note."),
    }),
  }),
  undo: json({
    method: "post",
    path: "/api/public/filings/:id/undo",
    summary: "Undo a change to a file",
    description: "Restores the previous name, location or tags. A note moves to the trash.",
    errors: ["conflict"],
    scope: "folders",
    output: z.object({ filing: Filing.describe("The change that was undone.") }),
  }),
  history: json({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/history",
    summary: "Get the history of a file",
    description: "Returns the newest 200 steps, newest first.",
    scope: "folders",
    output: z.object({ history: z.array(HistoryEntry).describe("Steps, newest first.") }),
  }),
} as const
