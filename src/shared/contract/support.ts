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

const dataUrl = (prefix: string, longest: number) =>
  z
    .string()
    .max(longest)
    .refine((url) => url.startsWith(prefix) && url.includes(","), wrong("data_url", { prefix }))

const Attachment = z.object({
  name: atMost(ticketLimits.attachmentName),
  dataUrl: dataUrl("data:", ticketLimits.attachment),
})

/** A report as written in the app. The box adds its origin and redacts its logs and context. */
export const SupportDraft = z
  .object({
    type: TicketType.default("BUG"),
    title: atMost(ticketLimits.title.max, atLeast(ticketLimits.title.min, z.string().trim())),
    description: atMost(ticketLimits.description, z.string().trim().min(1)),
    screenshot: dataUrl("data:image/", ticketLimits.screenshot).nullable().default(null),
    attachment: Attachment.nullable().default(null),
    uiLogs: z.array(LogLine).max(ticketLimits.logLines).default([]),
    serverLogs: z.array(LogLine).max(ticketLimits.logLines).default([]),
    page: z.string().max(2048).default("").meta({ description: "Route of the app that the report is about" }),
  })
  .meta({ id: "SupportDraft" })
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
    code: z.enum([
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
    ]),
    message: z.string(),
    sentence: SentenceBody.optional(),
  })
  .meta({ id: "OutboxProblem" })
export type OutboxProblem = z.infer<typeof OutboxProblem>

/** A queued report, or one that was sent. */
export const SupportTicket = z
  .object({
    id: Id.meta({ description: "The box's own; travels as `context.externalId`" }),
    state: OutboxState,
    type: TicketType,
    title: z.string(),
    description: z.string(),
    problem: OutboxProblem.nullable(),
    attempts: z.int(),
    nextAttemptAt: Timestamp.nullable().meta({ description: "When it is tried again by itself" }),
    ticketId: z.string().nullable().meta({ description: "Of the support queue, once it is sent" }),
    status: TicketStatus.nullable().meta({ description: "How the ticket is doing, once it is sent" }),
    statusChangedAt: Timestamp.nullable(),
    createdAt: Timestamp,
    sentAt: Timestamp.nullable(),
  })
  .meta({ id: "SupportTicket" })
export type SupportTicket = z.infer<typeof SupportTicket>

/** The account that the box sends tickets from. The key itself leaves the box only for the auth service. */
export const SupportAccount = z
  .object({
    authUrl: z.string().nullable().meta({ description: "Null: the box was started without an auth service" }),
    signedIn: z.boolean(),
    email: z.string().nullable().meta({ description: "Null for a key that was pasted" }),
    name: z.string().nullable(),
    expiresAt: Timestamp.nullable().meta({ description: "When the box's key ends, where that is known" }),
  })
  .meta({ id: "SupportAccount" })
export type SupportAccount = z.infer<typeof SupportAccount>

const SignIn = z.union([
  z.object({ email: z.string().trim().min(1).max(320), password: z.string().min(1).max(1024) }),
  z.object({ key: z.string().trim().min(1).max(1024) }),
])
export type SupportSignIn = z.infer<typeof SignIn>

const Answer = z.object({ ticket: SupportTicket })

/** Support reports, which the box stores, sends and tracks. All data is the caller's own. */
export const support = {
  account: json({
    method: "get",
    path: "/api/public/support/account",
    summary: "Who the box sends your support tickets as",
    access: "full",
    output: z.object({ account: SupportAccount }),
  }),
  signIn: json({
    method: "post",
    path: "/api/public/support/account",
    summary: "Sign in to the auth service, or give a cloud key; the box keeps only a key",
    access: "full",
    body: SignIn,
    output: z.object({ account: SupportAccount }),
  }),
  signOut: json({
    method: "delete",
    path: "/api/public/support/account",
    summary: "Forget the cloud key, and end it on the auth service if the box made it",
    access: "full",
    output: z.object({ account: SupportAccount }),
  }),
  logs: json({
    method: "post",
    path: "/api/public/support/logs",
    summary: "Log lines as a ticket would carry them: yours redacted, with the box's last ones for owners",
    access: "full",
    reads: true,
    body: z.object({ uiLogs: z.array(LogLine).max(ticketLimits.logLines) }),
    output: z.object({ uiLogs: z.array(LogLine), serverLogs: z.array(LogLine) }),
  }),
  list: json({
    method: "get",
    path: "/api/public/support/tickets",
    summary: "Your reports, newest first: those that wait, and those that were sent with their status",
    access: "full",
    query: z.object(pageQuery),
    output: z.object({ tickets: z.array(SupportTicket), pagination: Pagination }),
  }),
  create: json({
    method: "post",
    path: "/api/public/support/tickets",
    summary: "Put a report into the outbox; it is stored when this answers, and sent when that is possible",
    access: "full",
    maxBodyBytes: maxTicketBytes,
    body: SupportDraft,
    status: 201,
    output: Answer,
  }),
  read: json({
    method: "get",
    path: "/api/public/support/tickets/:id",
    summary: "One report; with all it would send as long as it isn't sent",
    access: "full",
    output: z.object({ ticket: SupportTicket, draft: SupportDraft.nullable() }),
  }),
  change: json({
    method: "patch",
    path: "/api/public/support/tickets/:id",
    summary: "Replace what a waiting or refused report says; it is tried again at once",
    access: "full",
    maxBodyBytes: maxTicketBytes,
    body: SupportDraft,
    output: Answer,
  }),
  retry: json({
    method: "post",
    path: "/api/public/support/tickets/:id/retry",
    summary: "Try at once to send a report that waits, was refused or is unsure",
    access: "full",
    output: Answer,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/support/tickets/:id",
    summary: "Take a report out of the outbox, or a sent one off the list; its ticket stays in the queue",
    access: "full",
    output: z.object({ success: z.literal(true) }),
  }),
} as const
