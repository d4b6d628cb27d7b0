import { z } from "zod"
import { json, Scope, bytes } from "./endpoint.ts"
import { atMost, Id, Timestamp } from "./primitives.ts"
import { wrong } from "./wrong.ts"

export const User = z
  .object({
    id: Id.describe("Identifier of the person."),
    email: z.string().describe("Email address, unique on this server."),
    name: z.string().describe("Display name."),
  })
  .meta({ id: "User", description: "A person with an account on this server." })
export type User = z.infer<typeof User>

export const Membership = z
  .object({
    id: Id.describe("Identifier of the workspace; send it as `x-organization-id`."),
    name: z.string().describe("Name of the workspace."),
    role: z
      .enum(["owner", "member"])
      .describe("`owner` manages people, models and settings of the server. `member` doesn't."),
  })
  .meta({
    id: "Membership",
    description: "A workspace that the caller belongs to. `x-organization-id` takes its `id`.",
  })
export type Membership = z.infer<typeof Membership>

/** An API key in lists. The key itself is shown only once, when it is created. */
export const ApiKey = z
  .object({
    id: Id.describe("Identifier of the key. It isn't the key itself."),
    name: z.string().describe("Name that its creator gave the key."),
    kind: z
      .enum(["box", "embedded"])
      .describe(
        "`box`: for scripts and programs; the key begins with `box_`. `embedded`: for embedded apps; the key begins with `boxe_`, and chats that it starts have the origin `APP`.",
      ),
    scopes: z.array(Scope).nullable().describe("Scopes that limit the key; null if the key has full rights."),
    hint: z.string().describe("First characters of the key, to tell keys apart."),
    createdAt: Timestamp.describe("When the key was created."),
    lastUsedAt: Timestamp.nullable().describe("When the key was last used; null if never."),
  })
  .meta({
    id: "ApiKey",
    description: "An API key in lists. The key itself is shown only once, when it is created.",
  })
export type ApiKey = z.infer<typeof ApiKey>

/** A call made with a key. */
export const KeyCall = z
  .object({
    at: Timestamp.describe("When the request began."),
    method: z.string().describe("HTTP method."),
    route: z
      .string()
      .describe("Path of the endpoint as in this document, with parameter names in place of ids."),
    status: z.int().describe("HTTP status of the response."),
    ms: z.number().describe("Milliseconds until the end of the response."),
    ip: z
      .string()
      .nullable()
      .describe("IP address that the request came from, as the server sees it; null if unknown."),
  })
  .meta({ id: "KeyCall", description: "A request made with an API key." })
export type KeyCall = z.infer<typeof KeyCall>

export const KeyDraft = z.object({
  name: atMost(120, z.string().trim().min(1)).describe("Name to recognise the key by, up to 120 characters."),
  scopes: z
    .array(Scope)
    .min(1)
    .nullable()
    .default(null)
    .describe("Scopes that limit the key. null (the default) gives it full rights."),
  kind: z
    .enum(["box", "embedded"])
    .default("box")
    .describe("`box` (the default) for scripts and programs, `embedded` for embedded apps."),
})

/** `details` of `other_session`: the user who is signed in, and the user that the link signs in. */
export const OtherSession = z.object({
  current: User.describe("The person who is signed in now."),
  next: User.describe("The person that the link signs in."),
})
export type OtherSession = z.infer<typeof OtherSession>

export const account = {
  health: json({
    method: "get",
    path: "/api/health",
    summary: "Check that the server is running",
    description:
      "Answers as soon as the server accepts requests. To know whether it can also do its work, use `GET /api/ready`.",
    access: "public",
    output: z.object({
      status: z.literal("ok").describe("Always `ok`."),
      version: z.string().describe("Version of the server."),
    }),
  }),
  me: json({
    method: "get",
    path: "/api/public/me",
    summary: "Get the caller",
    description: "Returns the person that the key or session belongs to, and their workspaces.",
    output: z.object({
      user: User,
      workspaces: z
        .array(Membership)
        .describe("Workspaces of the caller. The caller is an owner if the role is `owner` in at least one."),
    }),
  }),
  signIn: json({
    method: "post",
    path: "/api/public/session",
    summary: "Sign in with a one-time token",
    description:
      "Exchanges the token of a sign-in link for a session of the app: a cookie, and a secret that goes with it. Scripts use API keys instead.",
    errors: ["unauthorized", "other_session", "rate_limited"],
    access: "public",
    body: z.object({
      token: z.string().min(1).max(256).describe("One-time token from a sign-in link, valid for 5 minutes."),
      replace: z
        .boolean()
        .default(false)
        .describe(
          "true ends the session of another person who is signed in with this browser. If false (the default), that is 409 `other_session`, `details` names both people, and the token stays valid.",
        ),
    }),
    output: z.object({
      user: User,
      secret: z
        .string()
        .nullable()
        .describe(
          "Secret that the app sends as `x-session-secret` with each request; the cookie alone isn't enough. null if the browser keeps the session and secret that it already has.",
        ),
    }),
  }),
  signOut: json({
    method: "delete",
    path: "/api/public/session",
    summary: "Sign out",
    description: "Ends the session of the app that sends the request.",
    access: "full",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      leave: z
        .string()
        .optional()
        .describe(
          "Address at which the browser also signs out of the identity provider. Missing if the session didn't come from one.",
        ),
    }),
  }),
  download: json({
    method: "post",
    path: "/api/public/session/downloads",
    summary: "Create a download link for the browser",
    description:
      "Returns the path with a ticket, so that a browser can download it without the session secret. The ticket is valid once, for one minute.",
    errors: ["not_found"],
    access: "full",
    body: z.object({
      path: z
        .string()
        .max(4000)
        .regex(/^\/api\/[!-~]*$/, wrong("api_path"))
        .describe("Path to download, beginning with `/api/`, up to 4,000 characters."),
    }),
    output: z.object({ path: z.string().describe("The same path with a ticket.") }),
  }),
} as const

export const keys = {
  list: json({
    method: "get",
    path: "/api/public/keys",
    summary: "List API keys",
    description: "Returns the API keys of the caller.",
    access: "full",
    output: z.object({ keys: z.array(ApiKey).describe("API keys of the caller.") }),
  }),
  create: json({
    method: "post",
    path: "/api/public/keys",
    summary: "Create an API key",
    description:
      "The key acts for the caller and never has more rights than the caller. The response is the only time that it is shown.",
    errors: ["conflict"],
    access: "full",
    body: KeyDraft,
    status: 201,
    output: z.object({
      key: z.string().describe("The API key. Store it: it is never shown again."),
      apiKey: ApiKey,
    }),
  }),
  calls: json({
    method: "get",
    path: "/api/public/keys/:id/calls",
    summary: "List the calls of an API key",
    description:
      "Returns the newest 1,000 requests that were made with one of the caller's keys, newest first.",
    access: "full",
    output: z.object({ calls: z.array(KeyCall).describe("Requests, newest first, at most 1,000.") }),
  }),
  revoke: json({
    method: "delete",
    path: "/api/public/keys/:id",
    summary: "Revoke an API key",
    description: "The key stops working within a second, also for open streams and WebSockets.",
    access: "full",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      id: Id.describe("Identifier of the revoked key."),
    }),
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
    role: z
      .enum(["owner", "member"])
      .describe("`owner` if the person is an owner in at least one workspace, otherwise `member`."),
    createdAt: Timestamp.describe("When the account was created."),
    disabledAt: Timestamp.nullable().describe(
      "Since when the person can't sign in; null if they can. What they own is kept, and what they shared stays shared.",
    ),
  })
  .meta({
    id: "Person",
    description: "A person with an account on this server, as owners and colleagues see them.",
  })
export type Person = z.infer<typeof Person>

/** Sign-in links for one user. Each link opens the page signed in, and opening one invalidates all of them. */
export const SignInLinks = z
  .object({
    local: z.string().describe("Link for a browser on the computer that runs the server."),
    network: z
      .array(z.string())
      .describe(
        "Links for other computers, one for each allowed host name. Empty while the server listens on the loopback address only.",
      ),
    expiresAt: Timestamp.describe("When the links stop working, 5 minutes after their creation."),
  })
  .meta({
    id: "SignInLinks",
    description: "Links that sign one person in. Opening one of them invalidates all of them.",
  })
export type SignInLinks = z.infer<typeof SignInLinks>

export const PersonDraft = z.object({
  name: Name.describe("Display name, up to 120 characters."),
  email: Email.describe("Email address, unique on this server, up to 254 characters."),
  role: Person.shape.role.default("member").describe("Role in the workspace, `member` by default."),
})
export type PersonDraft = z.infer<typeof PersonDraft>

export const PersonChange = z.object({
  name: Name.optional().describe("New display name, up to 120 characters."),
  email: Email.optional().describe("New email address, unique on this server."),
  role: Person.shape.role
    .optional()
    .describe("New role. Only owners can change roles, and the last owner stays an owner."),
  disabled: z
    .boolean()
    .optional()
    .describe(
      "true bars the person from signing in and permanently ends their keys, sessions and connections at once. false lets them sign in again.",
    ),
})
export type PersonChange = z.infer<typeof PersonChange>

const peoplePath = "/api/public/people" as const

export const people = {
  list: json({
    method: "get",
    path: peoplePath,
    summary: "List people",
    description: "Returns everyone who has an account on this server, including people who are disabled.",
    access: "full",
    output: z.object({ people: z.array(Person).describe("Everyone with an account.") }),
  }),
  add: json({
    method: "post",
    path: peoplePath,
    summary: "Add a person",
    description: "Creates an account and returns links that sign the person in. Owners only.",
    errors: ["conflict"],
    access: "owner",
    body: PersonDraft,
    status: 201,
    output: z.object({ person: Person, links: SignInLinks }),
  }),
  update: json({
    method: "patch",
    path: `${peoplePath}/:id`,
    summary: "Change a person",
    description:
      "People can change their own name and email address. Owners can change everyone's, and also the role and `disabled`.",
    errors: ["conflict"],
    access: "full",
    body: PersonChange,
    output: z.object({ person: Person }),
  }),
  signInLinks: json({
    method: "post",
    path: `${peoplePath}/:id/sign-in-links`,
    summary: "Create sign-in links for a person",
    description: "The links are valid for 5 minutes, and opening one invalidates all of them. Owners only.",
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
    summary: "Get the sign-in provider",
    description: "Returns the OpenID Connect provider that people can sign in with, besides one-time links.",
    access: "public",
    output: z.object({
      provider: z
        .object({ name: z.string().describe("Host name of the identity provider.") })
        .nullable()
        .describe("The identity provider; null if none is configured."),
    }),
  }),
  begin: bytes({
    method: "get",
    path: `${signInPath}/provider`,
    summary: "Start signing in at the provider",
    description:
      "Redirects the browser (303) to the identity provider. If that isn't possible, it redirects to the app, which shows the reason.",
    access: "public",
    query: z.object({
      moved: z
        .string()
        .max(1)
        .optional()
        .describe("Set by the server when it has already redirected the browser to its public address."),
    }),
    mediaType: "text/plain",
  }),
  callback: bytes({
    method: "get",
    path: `${signInPath}/provider/callback`,
    summary: "Return from the provider",
    description:
      "The identity provider sends the browser here. The response redirects (303) to the app with a one-time token, or with the reason why sign-in failed.",
    access: "public",
    mediaType: "text/plain",
  }),
} as const
