import { z } from "zod"
import { Coverage } from "./chat.ts"
import { json } from "./endpoint.ts"
import { Location } from "./location.ts"
import { Id, queryInteger } from "./primitives.ts"
import { wrong } from "./wrong.ts"

/** A fact's location: the index of the block in the file's text (`text?format=blocks`), from 0, and the text there. */
const place = {
  block: z.int().meta({ description: "Number of the block in the file's text, from 0" }),
  location: Location,
  sentence: z.string().meta({ description: "The sentence or table row around it, with single spaces" }),
}

const fileFields = { fileId: Id, fileName: z.string() }

export const DateFact = z
  .object({
    kind: z.literal("date"),
    ...fileFields,
    text: z.string().meta({ description: "As it is written" }),
    date: z
      .string()
      .meta({ description: "`2026-05-01`, `2026-05` where no day is named, or `--05-01` where no year is" }),
    otherDate: z.string().nullable().meta({
      description: "What it says as well, where nothing in the document tells the day from the month",
    }),
    isDeadline: z.boolean().meta({ description: "Words beside it, or the name of its column, say so" }),
    ...place,
  })
  .meta({ id: "DateFact" })
export type DateFact = z.infer<typeof DateFact>

export const AmountFact = z
  .object({
    kind: z.literal("amount"),
    ...fileFields,
    text: z.string().meta({ description: "As it is written" }),
    value: z.number(),
    currency: z.string().meta({ description: "ISO 4217; $ is taken for USD and ¥ for JPY" }),
    ...place,
  })
  .meta({ id: "AmountFact" })
export type AmountFact = z.infer<typeof AmountFact>

/** A date or an amount of money in a document. */
export const Fact = z.discriminatedUnion("kind", [DateFact, AmountFact]).meta({ id: "Fact" })
export type Fact = z.infer<typeof Fact>

export const FactKind = z.enum(["dates", "amounts", "deadlines"])
export type FactKind = z.infer<typeof FactKind>

export const OutlineEntry = z
  .object({
    title: z.string(),
    level: z.int().meta({ description: "From 1, the outermost" }),
    ...place,
  })
  .meta({ id: "OutlineEntry" })
export type OutlineEntry = z.infer<typeof OutlineEntry>

export const Outline = z
  .object({
    of: z.enum(["headings", "pages", "slides", "sheets"]).meta({
      description: "What the entries are: pages and so on where the document has no headings",
    }),
    entries: z.array(OutlineEntry),
    truncated: z.boolean(),
  })
  .meta({ id: "Outline" })
export type Outline = z.infer<typeof Outline>

export const KeyTerm = z
  .object({
    term: z.string(),
    count: z.int().meta({ description: "How often it stands there" }),
    places: z.array(z.object(place)).meta({ description: "The first ones" }),
  })
  .meta({ id: "KeyTerm" })
export type KeyTerm = z.infer<typeof KeyTerm>

export const FolderTerm = z
  .object({ term: z.string(), count: z.int(), files: z.int() })
  .meta({ id: "FolderTerm" })
export type FolderTerm = z.infer<typeof FolderTerm>

export const FileOverview = z
  .object({
    outline: Outline,
    terms: z
      .array(KeyTerm)
      .meta({ description: "What stands out against the rest of the folder, first the most" }),
    dates: z.array(DateFact),
    amounts: z.array(AmountFact),
    truncated: z.boolean().meta({ description: "There are more dates or amounts" }),
    coverage: Coverage.shape.files.element,
  })
  .meta({ id: "FileOverview" })
export type FileOverview = z.infer<typeof FileOverview>

/** Maximum number of facts in a response. */
export const maxFacts = 1000

export const facts = {
  overview: json({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/overview",
    summary: "Outline, key terms, dates and amounts of a file, found without a model",
    scope: "folders",
    output: FileOverview,
  }),
  list: json({
    method: "get",
    path: "/api/public/vectors/:id/facts",
    summary: "Dates, deadlines or amounts of a folder's files, file by file, found without a model",
    scope: "folders",
    query: z.object({
      kind: FactKind.default("dates"),
      limit: queryInteger(1, maxFacts, 200),
      after: z
        .string()
        .regex(/^[\w-]{1,100}\+\d{1,9}$/, wrong("next_of_answer"))
        .optional()
        .meta({ description: "`next` of the answer before" }),
    }),
    output: z.object({
      facts: z.array(Fact),
      next: z.string().nullable().meta({
        description:
          "Where to go on, as `after`; null at the end. An answer may have fewer than `limit` before it",
      }),
      coverage: Coverage.meta({
        description: "Of the files that this answer ends: all answers together name each file once",
      }),
    }),
  }),
  terms: json({
    method: "get",
    path: "/api/public/vectors/:id/terms",
    summary: "Key terms of a folder, by the beginnings of up to 100 of its files",
    scope: "folders",
    output: z.object({
      terms: z.array(FolderTerm),
      looked: z.int().meta({ description: "How many files were looked at" }),
      of: z.int().meta({ description: "How many files the folder has" }),
    }),
  }),
} as const
