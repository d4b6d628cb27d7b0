import { z } from "zod"
import { bytes, json } from "./endpoint.ts"
import { atLeast, atMost, jsonObject, pageQuery, Pagination, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

/** Maximum size of a new ticket's body in bytes, after decompression. */
export const maxTicketBytes = 20_000_000
/** A longer `context.externalId` is stored like all metadata, but can't be used to find the ticket. */
export const maxExternalIdLength = 200
/** Maximum nesting of `context`; anything deeper isn't accepted as metadata. */
const deepestContext = 100

/** PostgreSQL's text type can't store NUL, and no reader needs it. */
const removeNul = (text: string) => text.replaceAll("\0", "")
const text = z.string().transform(removeNul)

export const TicketType = z
  .enum(["BUG", "SUGGESTION", "QUESTION"])
  .meta({ id: "TicketType", description: "Kind of ticket." })
export type TicketType = z.infer<typeof TicketType>

export const TicketStatus = z
  .enum(["OPEN", "IN_PROGRESS", "RESOLVED", "CLOSED"])
  .meta({ id: "TicketStatus", description: "Status of a ticket." })
export type TicketStatus = z.infer<typeof TicketStatus>

export const LogLine = z
  .strictObject({
    ts: atMost(40).describe("When the line was written, as text, up to 40 characters."),
    level: atMost(16).describe("Level of the line, up to 16 characters."),
    message: atMost(4000).describe("Text of the line, up to 4,000 characters."),
    src: atMost(120).optional().describe("Part of the program that wrote it, up to 120 characters."),
  })
  .meta({ id: "TicketLogLine", description: "A line of a log." })
export type LogLine = z.infer<typeof LogLine>

/** Lowercase with hyphens: `My App_2` and `my-app-2` are the same origin. */
export const normaliseSourceApp = (name: string): string => name.toLowerCase().replaceAll(/[ _]/g, "-")

/** The declared origin of a ticket, not a verified identity. */
const SourceApp = z
  .string()
  .min(1)
  .max(60)
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]*$/, wrong("source_app"))
  .transform(normaliseSourceApp)

const dataUrl = (prefix: string, maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((url) => url.startsWith(prefix) && url.includes(","), wrong("data_url_only", { prefix }))
    .transform(removeNul)

/** Control characters, and characters that change the direction of text, which can make `fdp.exe` look like `exe.pdf`. */
const deceptive = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** A file name without directories; `allegato` if nothing is left. */
function baseName(path: string): string {
  const last = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
  const name = last.replaceAll(deceptive, "").trim()
  return name === "" || name === "." || name === ".." ? defaultAttachmentName : name
}
const defaultAttachmentName = "allegato"

const Context = jsonObject().refine(
  (context) => nestsAtMost(context, deepestContext),
  wrong("nests_too_deep", { count: deepestContext }),
)

/** Recurses no deeper than `levels`, however deeply a hostile body is nested. */
function nestsAtMost(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every((item) => nestsAtMost(item, levels - 1))
  for (const key in value) {
    if (!nestsAtMost(value[key as keyof typeof value], levels - 1)) return false
  }
  return true
}

/** Body of a new ticket. Unlisted fields are refused, so the caller can't set user, company, status or priority. */
export const TicketDraft = z
  .strictObject({
    sourceApp: SourceApp.describe(
      "Application that the ticket comes from, 1 to 60 characters. It is stored in lower case, with hyphens in place of spaces and underscores.",
    ),
    title: text.pipe(atMost(200, atLeast(3, z.string().trim()))).describe("Title, 3 to 200 characters."),
    description: text
      .pipe(atMost(10_000, z.string().trim().min(1)))
      .describe("Description, 1 to 10,000 characters."),
    type: TicketType.default("BUG").describe("Kind of ticket, `BUG` by default."),
    brand: text.pipe(atMost(100)).optional().describe("Brand of the application, up to 100 characters."),
    screenshot: dataUrl("data:image/", 4_000_000)
      .optional()
      .describe("Screenshot as a data URL of an image, up to 4,000,000 characters."),
    attachment: dataUrl("data:", 8_000_000)
      .optional()
      .describe("One document as a data URL, up to 8,000,000 characters."),
    attachmentName: atMost(255)
      .transform(removeNul)
      .optional()
      .describe("Name of the document, up to 255 characters. Directories are removed. Default `allegato`."),
    attachmentMime: atMost(255)
      .transform(removeNul)
      .optional()
      .describe("Media type of the document, up to 255 characters."),
    uiLogs: z.array(LogLine).max(500).optional().describe("Log lines of the user interface, at most 500."),
    serverLogs: z.array(LogLine).max(500).optional().describe("Log lines of the server, at most 500."),
    context: Context.optional().describe(
      "Any JSON object, such as version, page and steps. `externalId` lets you find the ticket again; it doesn't prevent duplicates.",
    ),
  })
  .transform(({ attachmentName, attachmentMime, ...draft }) =>
    draft.attachment === undefined
      ? draft
      : {
          ...draft,
          attachmentName: baseName(attachmentName ?? ""),
          ...(attachmentMime === undefined ? {} : { attachmentMime }),
        },
  )
  .meta({
    id: "TicketDraft",
    description: "A new ticket. Unknown fields are refused; user, company, status and priority can't be set.",
  })
/** The stored form: trimmed, normalised, with defaults. */
export type TicketDraft = z.output<typeof TicketDraft>

/** The response to the ticket's creator. */
export const TicketReceipt = z
  .object({
    id: z.string().describe("Identifier of the ticket."),
    createdAt: Timestamp.describe("When the ticket was created."),
    status: TicketStatus,
    sourceApp: z.string().describe("Application that the ticket comes from, normalised."),
  })
  .meta({ id: "TicketReceipt", description: "A ticket that was created." })
export type TicketReceipt = z.infer<typeof TicketReceipt>

/** The state of the caller's own ticket. */
export const TicketState = TicketReceipt.extend({
  updatedAt: Timestamp.describe("When the ticket last changed."),
}).meta({ id: "TicketState", description: "The state of a ticket." })
export type TicketState = z.infer<typeof TicketState>

/** The caller's own ticket with the `context.externalId` it was sent with, by which a sender can find it again. */
export const OwnTicket = TicketState.extend({
  externalId: z.string().nullable().describe("`context.externalId` of the ticket; null for none."),
}).meta({ id: "OwnTicket", description: "A ticket of the caller." })
export type OwnTicket = z.infer<typeof OwnTicket>

/** A row in the support queue. User, email address and company come from the credentials and the database. */
export const TicketSummary = TicketState.extend({
  type: TicketType,
  title: z.string().describe("Title of the ticket."),
  brand: z.string().nullable().describe("Brand of the application; null for none."),
  user: z
    .object({
      id: z.string().describe("Identifier of the user."),
      email: z.string().describe("Email address of the user."),
      name: z.string().describe("Name of the user."),
      company: z.string().nullable().describe("Company of the user; null for none."),
    })
    .describe("User who created the ticket, taken from the credentials."),
  hasScreenshot: z.boolean().describe("true if the ticket has a screenshot."),
  attachmentName: z.string().nullable().describe("Name of the attached document; null for none."),
}).meta({ id: "TicketSummary", description: "A ticket in the support queue." })
export type TicketSummary = z.infer<typeof TicketSummary>

/** A ticket as support reads it. Screenshot and attachment are data URLs from the sender and must be treated as hostile. */
export const Ticket = TicketSummary.extend({
  description: z.string().describe("Description of the ticket."),
  screenshot: z.string().nullable().describe("Screenshot as a data URL; null for none."),
  attachment: z.string().nullable().describe("Document as a data URL; null for none."),
  attachmentMime: z
    .string()
    .nullable()
    .describe("Media type of the document as its sender stated it; null for none."),
  uiLogs: z.array(LogLine).describe("Log lines of the user interface."),
  serverLogs: z.array(LogLine).describe("Log lines of the server."),
  context: jsonObject().nullable().describe("Data that the sender added; null for none."),
}).meta({
  id: "Ticket",
  description: "A ticket with everything that was sent. Treat screenshot and attachment as untrusted.",
})
export type Ticket = z.infer<typeof Ticket>

const queueFilter = {
  sourceApp: z
    .string()
    .max(60)
    .transform(normaliseSourceApp)
    .optional()
    .describe("Return only tickets from this application."),
  status: TicketStatus.optional().describe("Return only tickets with this status."),
  search: atMost(200)
    .transform(removeNul)
    .optional()
    .describe("Return only tickets whose title, description or user contains this text, in any case."),
}

/** Endpoints of the auth service for tickets. The credential is `Authorization: Bearer`. */
export const tickets = {
  create: json({
    method: "post",
    path: "/api/v1/tickets",
    summary: "Create a ticket",
    description:
      "Creates an open ticket in the name of the credential's user. Each request creates a new ticket.",
    errors: ["RATE_LIMITED", "QUOTA_EXCEEDED", "RETRY_REQUEST"],
    demand: { action: "create" },
    body: TicketDraft,
    maxBodyBytes: maxTicketBytes,
    status: 201,
    output: z.object({ ticket: TicketReceipt.describe("The ticket that was created.") }),
  }),
  mine: json({
    method: "get",
    path: "/api/v1/tickets/mine",
    summary: "List own tickets",
    description: "Returns the state of the caller's tickets, newest first.",
    errors: ["RATE_LIMITED", "RETRY_REQUEST"],
    demand: { action: "create" },
    query: z.object({
      ...pageQuery,
      externalId: z
        .string()
        .max(maxExternalIdLength)
        .refine((id) => !id.includes("\0"), wrong("no_nul"))
        .optional()
        .describe("Return only tickets with this `context.externalId`."),
    }),
    output: z.object({
      tickets: z.array(OwnTicket).describe("Tickets of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  list: json({
    method: "get",
    path: "/api/v1/tickets",
    summary: "List the support queue",
    description: "Returns all tickets, newest first. Staff only.",
    demand: { action: "read", staff: true },
    query: z.object({ ...pageQuery, ...queueFilter }),
    output: z.object({
      tickets: z.array(TicketSummary).describe("Tickets of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  exportCsv: bytes({
    method: "get",
    path: "/api/v1/tickets.csv",
    summary: "Download the support queue as CSV",
    description: "Returns the same list as a CSV file. Staff only.",
    demand: { action: "read", staff: true },
    mediaType: "text/csv",
    query: z.object(queueFilter),
  }),
  read: json({
    method: "get",
    path: "/api/v1/tickets/:id",
    summary: "Get a ticket",
    description: "Returns a ticket with attachments and logs. Staff only.",
    demand: { action: "read", staff: true },
    output: z.object({ ticket: Ticket.describe("The ticket.") }),
  }),
  change: json({
    method: "patch",
    path: "/api/v1/tickets/:id",
    summary: "Change the status of a ticket",
    description: "Staff only.",
    demand: { action: "update", staff: true },
    body: z.strictObject({ status: TicketStatus.describe("New status of the ticket.") }),
    output: z.object({ ticket: TicketState.describe("State of the ticket afterwards.") }),
  }),
} as const
