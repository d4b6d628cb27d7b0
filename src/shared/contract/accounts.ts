import { z } from "zod"
import { json, Scope, bytes } from "./endpoint.ts"
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

const Name = atMost(120, z.string().trim().min(1))
const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, wrong("email"))

/** A user with an account on the box. */
export const Person = z
  .object({
    ...User.shape,
    role: z.enum(["owner", "member"]).meta({ description: "`owner`: in at least one workspace" }),
    createdAt: Timestamp,
    disabledAt: Timestamp.nullable().meta({
      description:
        "Since when the person can't sign in; what they own is kept, and what they shared stays shared.",
    }),
  })
  .meta({ id: "Person" })
export type Person = z.infer<typeof Person>

/** Sign-in links for one user. Each link opens the page signed in, and opening one invalidates all of them. */
export const SignInLinks = z
  .object({
    local: z.string().meta({ description: "For a browser on the computer that the box runs on" }),
    network: z
      .array(z.string())
      .meta({ description: "One for each allowed host name; empty while the box listens on loopback only" }),
    expiresAt: Timestamp,
  })
  .meta({ id: "SignInLinks" })
export type SignInLinks = z.infer<typeof SignInLinks>

export const PersonDraft = z.object({ name: Name, email: Email, role: Person.shape.role.default("member") })
export type PersonDraft = z.infer<typeof PersonDraft>

export const PersonChange = z.object({
  name: Name.optional(),
  email: Email.optional(),
  role: Person.shape.role.optional(),
  disabled: z
    .boolean()
    .optional()
    .meta({ description: "true ends the person's keys, sessions and connections at once, for good" }),
})
export type PersonChange = z.infer<typeof PersonChange>

const peoplePath = "/api/public/people" as const

export const people = {
  list: json({
    method: "get",
    path: peoplePath,
    summary: "Everyone who has an account on the box",
    access: "full",
    output: z.object({ people: z.array(Person) }),
  }),
  add: json({
    method: "post",
    path: peoplePath,
    summary: "Add a person to the workspace; owners only",
    access: "owner",
    body: PersonDraft,
    status: 201,
    output: z.object({ person: Person, links: SignInLinks }),
  }),
  update: json({
    method: "patch",
    path: `${peoplePath}/:id`,
    summary: "Change a person: name and e-mail address oneself or an owner, role and `disabled` owners only",
    access: "full",
    body: PersonChange,
    output: z.object({ person: Person }),
  }),
  signInLinks: json({
    method: "post",
    path: `${peoplePath}/:id/sign-in-links`,
    summary: "Fresh one-time links that sign a person in, for 5 minutes; owners only",
    access: "owner",
    status: 201,
    output: z.object({ links: SignInLinks }),
  }),
} as const

/** Why a sign-in at the provider failed. The page has a message for each. */
export const ProviderProblem = z.enum([
  "unreachable",
  "local_only",
  "not_begun",
  "refused",
  "no_email",
  "email_taken",
  "not_in_group",
  "disabled",
  "held",
  "full",
])
export type ProviderProblem = z.infer<typeof ProviderProblem>

const signInPath = "/api/public/sign-in" as const

/** Sign-in by OpenID Connect for browsers. It ends with a one-time token, like a sign-in link. */
export const providerSignIn = {
  ways: json({
    method: "get",
    path: signInPath,
    summary: "Who signs people in besides one-time links",
    access: "public",
    output: z.object({
      provider: z
        .object({ name: z.string().meta({ description: "The provider's host" }) })
        .nullable()
        .meta({ description: "null where none is configured" }),
    }),
  }),
  begin: bytes({
    method: "get",
    path: `${signInPath}/provider`,
    summary:
      "Send this browser to the provider; 303, also where that fails: then to the page, which says why",
    access: "public",
    query: z.object({
      moved: z.string().max(1).optional().meta({ description: "This is the public address already" }),
    }),
    mediaType: "text/plain",
  }),
  callback: bytes({
    method: "get",
    path: `${signInPath}/provider/callback`,
    summary:
      "Where the provider sends the browser back; 303 to the page, with a one-time token or why there is none",
    access: "public",
    mediaType: "text/plain",
  }),
} as const
