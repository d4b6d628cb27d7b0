import { z } from "zod"
import { Coverage } from "./chat.ts"
import { json } from "./endpoint.ts"
import { Location } from "./location.ts"
import { Id, queryInteger } from "./primitives.ts"
import { wrong } from "./wrong.ts"

/** A fact's location: the index of the block in the file's text (`text?format=blocks`), from 0, and the text there. */
const place = {
  block: z.int().describe("Number of the block in the text of the file, from 0."),
  location: Location,
  sentence: z.string().describe("The sentence or table row around it, with single spaces."),
}

const fileFields = { fileId: Id.describe("The file."), fileName: z.string().describe("Name of the file.") }

export const DateFact = z
  .object({
    kind: z.literal("date").describe("The fact is a date."),
    ...fileFields,
    text: z.string().describe("The date as it is written."),
    date: z
      .string()
      .describe("The date as `2026-05-01`, as `2026-05` without a day, or as `--05-01` without a year."),
    otherDate: z
      .string()
      .nullable()
      .describe(
        "The other possible date if the document doesn't show which number is the day; otherwise null.",
      ),
    isDeadline: z
      .boolean()
      .describe("true if words next to it, or the name of its column, say that it is a deadline."),
    ...place,
  })
  .meta({ id: "DateFact", description: "A date in a document." })
export type DateFact = z.infer<typeof DateFact>

export const AmountFact = z
  .object({
    kind: z.literal("amount").describe("The fact is an amount of money."),
    ...fileFields,
    text: z.string().describe("The amount as it is written."),
    value: z.number().describe("The amount as a number."),
    currency: z.string().describe("ISO 4217 code of the currency. `$` is read as USD and `¥` as JPY."),
    ...place,
  })
  .meta({ id: "AmountFact", description: "An amount of money in a document." })
export type AmountFact = z.infer<typeof AmountFact>

/** A date or an amount of money in a document. */
export const Fact = z
  .discriminatedUnion("kind", [DateFact, AmountFact])
  .meta({ id: "Fact", description: "A date or an amount of money in a document." })
export type Fact = z.infer<typeof Fact>

export const FactKind = z.enum(["dates", "amounts", "deadlines"])
export type FactKind = z.infer<typeof FactKind>

export const OutlineEntry = z
  .object({
    title: z.string().describe("Text of the heading, or name of the page, slide or sheet."),
    level: z.int().describe("Level of the entry, from 1 for the outermost."),
    ...place,
  })
  .meta({ id: "OutlineEntry", description: "An entry of a document's outline." })
export type OutlineEntry = z.infer<typeof OutlineEntry>

export const Outline = z
  .object({
    of: z
      .enum(["headings", "pages", "slides", "sheets"])
      .describe("What the entries are. Pages, slides and sheets are used if the document has no headings."),
    entries: z.array(OutlineEntry).describe("Entries in the order of the document."),
    truncated: z.boolean().describe("true if there are more entries."),
  })
  .meta({ id: "Outline", description: "The outline of a document." })
export type Outline = z.infer<typeof Outline>

export const KeyTerm = z
  .object({
    term: z.string().describe("The term."),
    count: z.int().describe("How often the document contains it."),
    places: z.array(z.object(place)).describe("First places where it occurs."),
  })
  .meta({ id: "KeyTerm", description: "A term that is typical of a document." })
export type KeyTerm = z.infer<typeof KeyTerm>

export const FolderTerm = z
  .object({
    term: z.string().describe("The term."),
    count: z.int().describe("How often the files contain it."),
    files: z.int().describe("Files that contain it."),
  })
  .meta({ id: "FolderTerm", description: "A term that is typical of a folder." })
export type FolderTerm = z.infer<typeof FolderTerm>

export const FileOverview = z
  .object({
    outline: Outline,
    terms: z
      .array(KeyTerm)
      .describe("Terms that are more frequent here than in the rest of the folder, most typical first."),
    dates: z.array(DateFact).describe("Dates in the document."),
    amounts: z.array(AmountFact).describe("Amounts of money in the document."),
    truncated: z.boolean().describe("true if there are more dates or amounts."),
    coverage: Coverage.shape.files.element.describe("How much of the file was looked at."),
  })
  .meta({ id: "FileOverview", description: "An overview of a file that was created without a model." })
export type FileOverview = z.infer<typeof FileOverview>

/** Maximum number of facts in a response. */
export const maxFacts = 1000

export const facts = {
  overview: json({
    method: "get",
    path: "/api/public/vectors/:id/files/:fileId/overview",
    summary: "Get the overview of a file",
    description: "Returns the outline, key terms, dates and amounts of a file. No model is needed.",
    scope: "folders",
    output: FileOverview,
  }),
  list: json({
    method: "get",
    path: "/api/public/vectors/:id/facts",
    summary: "List dates and amounts of a folder",
    description: "Returns dates, deadlines or amounts, file by file. No model is needed.",
    scope: "folders",
    query: z.object({
      kind: FactKind.default("dates").describe(
        "Facts to return: all dates, only deadlines, or amounts of money.",
      ),
      limit: queryInteger(1, maxFacts, 200).describe("Facts to return, 1 to 1,000."),
      after: z
        .string()
        .regex(/^[\w-]{1,100}\+\d{1,9}$/, wrong("next_of_answer"))
        .optional()
        .describe("`next` of the previous response."),
    }),
    output: z.object({
      facts: z.array(Fact).describe("Facts, file by file."),
      next: z
        .string()
        .nullable()
        .describe(
          "Value of `after` for the next request; null at the end. A response can have fewer than `limit` facts before the end.",
        ),
      coverage: Coverage.describe(
        "Coverage of the files that end in this response. All responses together name each file once.",
      ),
    }),
  }),
  terms: json({
    method: "get",
    path: "/api/public/vectors/:id/terms",
    summary: "List key terms of a folder",
    description:
      "Returns the terms that are typical of the beginnings of up to 100 files. No model is needed.",
    scope: "folders",
    output: z.object({
      terms: z.array(FolderTerm).describe("Terms, most typical first."),
      looked: z.int().describe("Files that were looked at."),
      of: z.int().describe("Files in the folder."),
    }),
  }),
} as const
