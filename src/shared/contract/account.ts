import { z } from "zod"
import { json, Scope } from "./endpoint.ts"
import { atMost, Id, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

export const User = z.object({ id: Id, email: z.string(), name: z.string() }).meta({ id: "User" })
export type User = z.infer<typeof User>

export const Membership = z.object({ id: Id, name: z.string(), role: z.enum(["owner", "member"]) }).meta({
  id: "Membership",
  description: "A workspace the user belongs to; `x-organization-id` takes its id.",
})
export type Membership = z.infer<typeof Membership>

/** An API key in lists. The key itself is shown only once, when it is created. */
export const ApiKey = z
  .object({
    id: Id,
    name: z.string(),
    kind: z
      .enum(["box", "embedded"])
      .meta({ description: "`embedded` keys begin `boxe_`; chats started with them count as APP." }),
    scopes: z.array(Scope).nullable().meta({ description: "null: full rights" }),
    hint: z.string().meta({ description: "The key's first characters, to tell keys apart." }),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable(),
  })
  .meta({ id: "ApiKey" })
export type ApiKey = z.infer<typeof ApiKey>

/** A call made with a key. */
export const KeyCall = z
  .object({
    at: Timestamp,
    method: z.string(),
    route: z.string().meta({ description: "As in this document, without ids" }),
    status: z.int(),
    ms: z.number().meta({ description: "Until the answer's end" }),
    ip: z.string().nullable().meta({ description: "Where it came from, as far as the box sees" }),
  })
  .meta({ id: "KeyCall" })
export type KeyCall = z.infer<typeof KeyCall>

export const KeyDraft = z.object({
  name: atMost(120, z.string().trim().min(1)),
  scopes: z.array(Scope).min(1).nullable().default(null),
  kind: z.enum(["box", "embedded"]).default("box"),
})

/** `details` of `other_session`: the user who is signed in, and the user that the link signs in. */
export const OtherSession = z.object({ current: User, next: User })
export type OtherSession = z.infer<typeof OtherSession>

export const account = {
  health: json({
    method: "get",
    path: "/api/health",
    summary: "Whether the box accepts requests",
    access: "public",
    output: z.object({ status: z.literal("ok"), version: z.string() }),
  }),
  me: json({
    method: "get",
    path: "/api/public/me",
    summary: "The caller and the workspaces it belongs to",
    output: z.object({ user: User, workspaces: z.array(Membership) }),
  }),
  signIn: json({
    method: "post",
    path: "/api/public/session",
    summary: "Exchange a one-time sign-in token for the app's session: a cookie and the secret it needs",
    access: "public",
    body: z.object({
      token: z.string().min(1).max(256),
      replace: z.boolean().default(false).meta({
        description:
          "Also where this browser is signed in as somebody else, whose session ends. Without it that is 409 `other_session`, which names both in `details` and leaves the token to be used.",
      }),
    }),
    output: z.object({
      user: User,
      secret: z.string().nullable().meta({
        description:
          "Sent as `x-session-secret` with every request of the session, whose cookie alone opens nothing. null where the browser's session goes on, with the secret it has.",
      }),
    }),
  }),
  signOut: json({
    method: "delete",
    path: "/api/public/session",
    summary: "End the app session",
    access: "full",
    output: z.object({
      success: z.literal(true),
      leave: z
        .string()
        .optional()
        .meta({ description: "Where the browser signs out at the provider that signed it in" }),
    }),
  }),
  download: json({
    method: "post",
    path: "/api/public/session/downloads",
    summary: "Let the app session's browser download a path itself, once and within a minute",
    access: "full",
    body: z.object({
      path: z
        .string()
        .max(4000)
        .regex(/^\/api\/[!-~]*$/, wrong("api_path")),
    }),
    output: z.object({ path: z.string().meta({ description: "The same path with a ticket" }) }),
  }),
} as const

export const keys = {
  list: json({
    method: "get",
    path: "/api/public/keys",
    summary: "The caller's API keys",
    access: "full",
    output: z.object({ keys: z.array(ApiKey) }),
  }),
  create: json({
    method: "post",
    path: "/api/public/keys",
    summary: "Create an API key; the answer is the only time it is shown",
    access: "full",
    body: KeyDraft,
    status: 201,
    output: z.object({ key: z.string(), apiKey: ApiKey }),
  }),
  calls: json({
    method: "get",
    path: "/api/public/keys/:id/calls",
    summary: "The newest 1,000 calls that were made with a key of the caller's, newest first",
    access: "full",
    output: z.object({ calls: z.array(KeyCall) }),
  }),
  revoke: json({
    method: "delete",
    path: "/api/public/keys/:id",
    summary: "Revoke an API key at once",
    access: "full",
    output: z.object({ success: z.literal(true), id: Id }),
  }),
} as const
