import { z } from "zod"
import { json } from "./endpoint.ts"
import { atLeast, atMost, Id, pageQuery, Pagination, Timestamp } from "./primitives.ts"
import { LogLine, maxTicketBytes, TicketStatus, TicketType } from "./tickets.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

/** Limits of a ticket, for checks before sending. */
export const ticketLimits = {
  title: { min: 3, max: 200 },
  description: 10_000,
  /** In characters of a data URL. */
  screenshot: 4_000_000,
  attachment: 8_000_000,
  attachmentName: 255,
  logLines: 500,
} as const

/** Maximum number of a user's tickets that can wait to be sent. */
export const maxWaitingTickets = 20

const dataUrl = (prefix: string, maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((url) => url.startsWith(prefix) && url.includes(","), wrong("data_url", { prefix }))

const Attachment = z.object({
  name: atMost(ticketLimits.attachmentName).describe("Name of the file, up to 255 characters."),
  dataUrl: dataUrl("data:", ticketLimits.attachment).describe(
    "The file as a data URL, up to 8,000,000 characters.",
  ),
})

/** A report as written in the app. The box adds its origin and redacts its logs and context. */
export const SupportDraft = z
  .object({
    type: TicketType.default("BUG").describe("Kind of report, `BUG` by default."),
    title: atMost(ticketLimits.title.max, atLeast(ticketLimits.title.min, z.string().trim())).describe(
      "Title, 3 to 200 characters.",
    ),
    description: atMost(ticketLimits.description, z.string().trim().min(1)).describe(
      "Description, 1 to 10,000 characters.",
    ),
    screenshot: dataUrl("data:image/", ticketLimits.screenshot)
      .nullable()
      .default(null)
      .describe("Screenshot as a data URL of an image, up to 4,000,000 characters. Default null: none."),
    attachment: Attachment.nullable().default(null).describe("Attached file. Default null: none."),
    uiLogs: z
      .array(LogLine)
      .max(ticketLimits.logLines)
      .default([])
      .describe("Log lines of the app, at most 500."),
    serverLogs: z
      .array(LogLine)
      .max(ticketLimits.logLines)
      .default([])
      .describe("Log lines of the server, at most 500."),
    page: z.string().max(2048).default("").describe("Route of the app that the report is about."),
  })
  .meta({
    id: "SupportDraft",
    description: "A report. The server adds its origin and redacts logs and context.",
  })
export type SupportDraft = z.output<typeof SupportDraft>

/**
 * `waiting`: will be sent. `sending`: in progress. `unsure`: it was sent without a response; the box asks the service before it sends
 * again. `refused`: it isn't sent automatically until it or the account is changed. `sent`: a ticket exists.
 */
export const OutboxState = z.enum(["waiting", "sending", "unsure", "refused", "sent"])
export type OutboxState = z.infer<typeof OutboxState>

/** Why a report isn't sent yet. */
export const OutboxProblem = z
  .object({
    code: z
      .enum([
        "no_service",
        "local_only",
        "signed_out",
        "offline",
        "busy",
        "quota",
        "no_answer",
        "invalid",
        "unauthorized",
        "forbidden",
        "too_large",
        "restored",
      ])
      .describe("Why it wasn't sent, for programs."),
    message: z.string().describe("Why it wasn't sent, in a sentence for people."),
    sentence: SentenceBody.optional(),
  })
  .meta({ id: "OutboxProblem", description: "Why a report wasn't sent." })
export type OutboxProblem = z.infer<typeof OutboxProblem>

/** A queued report, or one that was sent. */
export const SupportTicket = z
  .object({
    id: Id.describe("Identifier of the report on this server. It is sent as `context.externalId`."),
    state: OutboxState.describe("Whether the report was sent."),
    type: TicketType,
    title: z.string().describe("Title of the report."),
    description: z.string().describe("Description in the report."),
    problem: OutboxProblem.nullable().describe("Why it wasn't sent; null if it was or will be."),
    attempts: z.int().describe("How often sending was tried."),
    nextAttemptAt: Timestamp.nullable().describe("When sending is tried again; null if it isn't."),
    ticketId: z
      .string()
      .nullable()
      .describe("Identifier of the ticket in the support queue; null until it is sent."),
    status: TicketStatus.nullable().describe("Status of the ticket; null until it is sent."),
    statusChangedAt: Timestamp.nullable().describe("When the status last changed; null if it hasn't."),
    createdAt: Timestamp.describe("When the report was written."),
    sentAt: Timestamp.nullable().describe("When the report was sent; null until then."),
  })
  .meta({ id: "SupportTicket", description: "A report that was sent or waits to be sent." })
export type SupportTicket = z.infer<typeof SupportTicket>

/** The account that the box sends tickets from. The key itself leaves the box only for the auth service. */
export const SupportAccount = z
  .object({
    authUrl: z
      .string()
      .nullable()
      .describe("Address of the auth service; null if the server was started without one."),
    signedIn: z.boolean().describe("true if the caller is signed in."),
    email: z.string().nullable().describe("Email address of the account; null if only a key was entered."),
    name: z.string().nullable().describe("Name of the account; null if unknown."),
    expiresAt: Timestamp.nullable().describe("When its key expires; null if unknown."),
  })
  .meta({
    id: "SupportAccount",
    description: "The account that sends support tickets. Its key is sent only to the auth service.",
  })
export type SupportAccount = z.infer<typeof SupportAccount>

const SignIn = z.union([
  z.object({
    email: z.string().trim().min(1).max(320).describe("Email address of the account."),
    password: z.string().min(1).max(1024).describe("Password of the account. It isn't stored."),
  }),
  z.object({ key: z.string().trim().min(1).max(1024).describe("Cloud key.") }),
])
export type SupportSignIn = z.infer<typeof SignIn>

const Answer = z.object({ ticket: SupportTicket.describe("The report.") })

/** Support reports, which the box stores, sends and tracks. All data is the caller's own. */
export const support = {
  account: json({
    method: "get",
    path: "/api/public/support/account",
    summary: "Get the support account",
    description: "Returns the account that the caller's tickets are sent from.",
    access: "full",
    output: z.object({ account: SupportAccount.describe("The account.") }),
  }),
  signIn: json({
    method: "post",
    path: "/api/public/support/account",
    summary: "Sign in to support",
    description: "Signs in to the auth service with a password, or stores a cloud key. Only a key is kept.",
    errors: ["local_only"],
    access: "full",
    body: SignIn,
    output: z.object({ account: SupportAccount.describe("The account.") }),
  }),
  signOut: json({
    method: "delete",
    path: "/api/public/support/account",
    summary: "Sign out of support",
    description: "Forgets the cloud key. If the server created it, the key is revoked too.",
    access: "full",
    output: z.object({ account: SupportAccount.describe("The account.") }),
  }),
  logs: json({
    method: "post",
    path: "/api/public/support/logs",
    summary: "Preview log lines",
    description:
      "Returns log lines as a ticket would contain them: the given ones, redacted, and for owners the newest ones of the server.",
    access: "full",
    reads: true,
    body: z.object({
      uiLogs: z.array(LogLine).max(ticketLimits.logLines).describe("Log lines of the app, at most 500."),
    }),
    output: z.object({
      uiLogs: z.array(LogLine).describe("The given lines, redacted."),
      serverLogs: z
        .array(LogLine)
        .describe("Newest lines of the server, redacted. Empty for people who aren't owners."),
    }),
  }),
  list: json({
    method: "get",
    path: "/api/public/support/tickets",
    summary: "List reports",
    description: "Returns the caller's reports, newest first, with their status.",
    access: "full",
    query: z.object(pageQuery),
    output: z.object({
      tickets: z.array(SupportTicket).describe("Reports of this page, newest first."),
      pagination: Pagination,
    }),
  }),
  create: json({
    method: "post",
    path: "/api/public/support/tickets",
    summary: "Write a report",
    description: "Stores a report and sends it as soon as possible, also later when the computer is offline.",
    errors: ["conflict"],
    access: "full",
    maxBodyBytes: maxTicketBytes,
    body: SupportDraft,
    status: 201,
    output: Answer,
  }),
  read: json({
    method: "get",
    path: "/api/public/support/tickets/:id",
    summary: "Get a report",
    description: "Returns a report, with its full content until it is sent.",
    access: "full",
    output: z.object({
      ticket: SupportTicket.describe("The report."),
      draft: SupportDraft.nullable().describe("What would be sent; null once it is sent."),
    }),
  }),
  change: json({
    method: "patch",
    path: "/api/public/support/tickets/:id",
    summary: "Change a report",
    description: "Replaces the content of a report that waits or was refused. It is sent again at once.",
    errors: ["conflict"],
    access: "full",
    maxBodyBytes: maxTicketBytes,
    body: SupportDraft,
    output: Answer,
  }),
  retry: json({
    method: "post",
    path: "/api/public/support/tickets/:id/retry",
    summary: "Send a report again",
    description: "Tries at once to send a report that waits or was refused.",
    errors: ["conflict"],
    access: "full",
    output: Answer,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/support/tickets/:id",
    summary: "Delete a report",
    description:
      "Deletes a report from the outbox or the list. A ticket that was sent stays in the support queue.",
    errors: ["conflict"],
    access: "full",
    output: z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") }),
  }),
} as const
