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

export const TicketType = z.enum(["BUG", "SUGGESTION", "QUESTION"]).meta({ id: "TicketType" })
export type TicketType = z.infer<typeof TicketType>

export const TicketStatus = z.enum(["OPEN", "IN_PROGRESS", "RESOLVED", "CLOSED"]).meta({ id: "TicketStatus" })
export type TicketStatus = z.infer<typeof TicketStatus>

export const LogLine = z
  .strictObject({
    ts: atMost(40),
    level: atMost(16),
    message: atMost(4000),
    src: atMost(120).optional(),
  })
  .meta({ id: "TicketLogLine" })
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

const dataUrl = (prefix: string, longest: number) =>
  z
    .string()
    .max(longest)
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
    sourceApp: SourceApp,
    title: text.pipe(atMost(200, atLeast(3, z.string().trim()))),
    description: text.pipe(atMost(10_000, z.string().trim().min(1))),
    type: TicketType.default("BUG"),
    brand: text.pipe(atMost(100)).optional(),
    screenshot: dataUrl("data:image/", 4_000_000).optional(),
    attachment: dataUrl("data:", 8_000_000).optional(),
    attachmentName: atMost(255).transform(removeNul).optional(),
    attachmentMime: atMost(255).transform(removeNul).optional(),
    uiLogs: z.array(LogLine).max(500).optional(),
    serverLogs: z.array(LogLine).max(500).optional(),
    context: Context.optional(),
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
  .meta({ id: "TicketDraft" })
/** The stored form: trimmed, normalised, with defaults. */
export type TicketDraft = z.output<typeof TicketDraft>

/** The response to the ticket's creator. */
export const TicketReceipt = z
  .object({ id: z.string(), createdAt: Timestamp, status: TicketStatus, sourceApp: z.string() })
  .meta({ id: "TicketReceipt" })
export type TicketReceipt = z.infer<typeof TicketReceipt>

/** The state of the caller's own ticket. */
export const TicketState = TicketReceipt.extend({ updatedAt: Timestamp }).meta({ id: "TicketState" })
export type TicketState = z.infer<typeof TicketState>

/** The caller's own ticket with the `context.externalId` it was sent with, by which a sender can find it again. */
export const OwnTicket = TicketState.extend({ externalId: z.string().nullable() }).meta({ id: "OwnTicket" })
export type OwnTicket = z.infer<typeof OwnTicket>

/** A row in the support queue. User, email address and company come from the credentials and the database. */
export const TicketSummary = TicketState.extend({
  type: TicketType,
  title: z.string(),
  brand: z.string().nullable(),
  user: z.object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    company: z.string().nullable(),
  }),
  hasScreenshot: z.boolean(),
  attachmentName: z.string().nullable(),
}).meta({ id: "TicketSummary" })
export type TicketSummary = z.infer<typeof TicketSummary>

/** A ticket as support reads it. Screenshot and attachment are data URLs from the sender and must be treated as hostile. */
export const Ticket = TicketSummary.extend({
  description: z.string(),
  screenshot: z.string().nullable(),
  attachment: z.string().nullable(),
  attachmentMime: z.string().nullable(),
  uiLogs: z.array(LogLine),
  serverLogs: z.array(LogLine),
  context: jsonObject().nullable(),
}).meta({ id: "Ticket" })
export type Ticket = z.infer<typeof Ticket>

const queueFilter = {
  sourceApp: z.string().max(60).transform(normaliseSourceApp).optional(),
  status: TicketStatus.optional(),
  search: atMost(200).transform(removeNul).optional(),
}

/** Endpoints of the auth service for tickets. The credential is `Authorization: Bearer`. */
export const tickets = {
  create: json({
    method: "post",
    path: "/api/v1/tickets",
    summary: "Create a ticket in the name of the credential's owner",
    demand: { action: "create" },
    body: TicketDraft,
    maxBodyBytes: maxTicketBytes,
    status: 201,
    output: z.object({ ticket: TicketReceipt }),
  }),
  mine: json({
    method: "get",
    path: "/api/v1/tickets/mine",
    summary: "State of the caller's own tickets, newest first",
    demand: { action: "create" },
    query: z.object({
      ...pageQuery,
      externalId: z
        .string()
        .max(maxExternalIdLength)
        .refine((id) => !id.includes("\0"), wrong("no_nul"))
        .optional()
        .meta({ description: "Only those whose `context.externalId` is this text" }),
    }),
    output: z.object({ tickets: z.array(OwnTicket), pagination: Pagination }),
  }),
  list: json({
    method: "get",
    path: "/api/v1/tickets",
    summary: "The support queue, newest first (staff)",
    demand: { action: "read", staff: true },
    query: z.object({ ...pageQuery, ...queueFilter }),
    output: z.object({ tickets: z.array(TicketSummary), pagination: Pagination }),
  }),
  exportCsv: bytes({
    method: "get",
    path: "/api/v1/tickets.csv",
    summary: "The support queue as CSV (staff)",
    demand: { action: "read", staff: true },
    mediaType: "text/csv",
    query: z.object(queueFilter),
  }),
  read: json({
    method: "get",
    path: "/api/v1/tickets/:id",
    summary: "One ticket with attachments and logs (staff)",
    demand: { action: "read", staff: true },
    output: z.object({ ticket: Ticket }),
  }),
  change: json({
    method: "patch",
    path: "/api/v1/tickets/:id",
    summary: "Change a ticket's status (staff)",
    demand: { action: "update", staff: true },
    body: z.strictObject({ status: TicketStatus }),
    output: z.object({ ticket: TicketState }),
  }),
} as const
