import { z } from "zod"
import { bytes, json } from "./endpoint.ts"
import { Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

const line = (longest: number) =>
  z
    .string()
    .max(longest)
    // These characters end or disguise what is shown and run: control characters, direction marks and invisible characters.
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, wrong("one_line"))
const secret = z.string().regex(/^[\x21-\x7e]{1,8000}$/, wrong("text_without_spaces"))
const environmentName = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/** A remote server, or one on this network if an owner of the box entered its address. */
export const HttpTarget = z.object({
  kind: z.literal("http"),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine((address) => {
      if (!URL.canParse(address)) return true // the previous check reports it
      const { username, password, hash } = new URL(address)
      return username === "" && password === "" && hash === ""
    }, wrong("address_without_hash")),
})

/** A program on this computer that communicates over standard input and output. It runs without a shell. */
export const CommandTarget = z.object({
  kind: z.literal("command"),
  command: line(1000).min(1),
  args: z.array(line(4000)).max(64).default([]),
})

export const ServerTarget = z.discriminatedUnion("kind", [HttpTarget, CommandTarget])
export type ServerTarget = z.infer<typeof ServerTarget>

/** Credentials sent to a server. An omitted field stays unchanged, null removes it, and none is ever shown again. */
const credentials = {
  token: secret.nullish().meta({ description: "Sent as `Authorization: Bearer`, instead of signing in" }),
  clientId: secret.nullish().meta({ description: "Of an OAuth client that the provider gave out" }),
  clientSecret: secret.nullish(),
  env: z
    .record(z.string(), z.string().max(10_000))
    .refine((env) => Object.keys(env).length <= 50, wrong("most_entries", { count: 50 }))
    .refine((env) => Object.keys(env).every((name) => environmentName.test(name)), wrong("names_of_letters"))
    .nullish()
    .meta({ description: "The program's environment beside PATH, HOME and the user's name; replaced whole" }),
}

const ServerName = z.string().trim().min(1).max(40)

export const ServerDraft = z.object({ name: ServerName, target: ServerTarget, ...credentials })
export type ServerDraft = z.infer<typeof ServerDraft>

export const ServerChange = z.object({ target: ServerTarget.optional(), ...credentials })
export type ServerChange = z.infer<typeof ServerChange>

/**
 * `needs_address`: it needs an address before it can be connected. `signed_out`: the provider no longer accepts its sign-in. `changed`:
 * some tools are off until their new descriptions are approved.
 */
const IntegrationState = z.enum(["needs_address", "unlinked", "linked", "signed_out", "changed"])
export type IntegrationState = z.infer<typeof IntegrationState>

/** A connection to another program's tools: one from the catalogue, or a server that the user added. */
export const IntegrationSummary = z
  .object({
    key: z
      .string()
      .meta({ description: "For `builtInTools`: `int_…`, or `mcp_…` for a server of the user's" }),
    name: z.string(),
    group: z.enum(["integration", "mcp"]),
    state: IntegrationState,
    target: ServerTarget.nullable(),
    setup: z.enum(["none", "address", "client", "token", "environment"]).meta({
      description: "What it takes beside a sign-in: an address, an OAuth client, a token, variables",
    }),
    documentation: z.string().nullable().meta({ description: "The provider's own page about its server" }),
    redirectUrl: z.string().meta({ description: "For OAuth clients that are made by hand" }),
    consent: z
      .string()
      .nullable()
      .meta({ description: "What `link` must be sent to start exactly this command; null for addresses" }),
    clientId: z.string().nullable(),
    hasToken: z.boolean(),
    hasClientSecret: z.boolean(),
    environment: z.array(z.string()).meta({ description: "Names of the program's variables" }),
    linkedAt: Timestamp.nullable(),
    toolCount: z.int().meta({ description: "Functions that can be used now and are switched on" }),
    changeCount: z.int().meta({ description: "Functions that wait to be approved" }),
    problem: z.string().nullable().meta({ description: "Why it failed when it was last used" }),
    sentence: SentenceBody.optional().meta({ description: "What `problem` is made of" }),
  })
  .meta({ id: "IntegrationSummary" })
export type IntegrationSummary = z.infer<typeof IntegrationSummary>

/** A server's description of a tool, cut to the part that models see. */
const FunctionText = z.object({ description: z.string(), parameters: z.record(z.string(), z.unknown()) })

const IntegrationTool = z
  .object({
    name: z.string().meta({ description: "As the server calls it" }),
    functionName: z.string().meta({ description: "As models call it" }),
    ...FunctionText.shape,
    effect: z.enum(["read", "write"]).meta({ description: "As the user marked it; `write` unless marked" }),
    enabled: z.boolean().meta({ description: "Whether models are offered it; true unless switched off" }),
  })
  .meta({ id: "IntegrationTool" })
export type IntegrationTool = z.infer<typeof IntegrationTool>

/** A user's settings for one tool or for all of them. */
const FunctionMark = z
  .object({
    name: z.string().max(200).optional().meta({ description: "Left out: every function in use" }),
    effect: z.enum(["read", "write"]).optional(),
    enabled: z.boolean().optional(),
  })
  .refine(({ effect, enabled }) => effect !== undefined || enabled !== undefined, {
    path: ["effect"],
    ...wrong("effect_or_enabled"),
  })
export type FunctionMark = z.infer<typeof FunctionMark>

const ToolChange = z
  .object({
    kind: z.enum(["added", "changed"]),
    name: z.string(),
    hash: z.string().meta({ description: "Of what is approved: exactly `after`" }),
    before: FunctionText.nullable(),
    after: FunctionText,
  })
  .meta({ id: "ToolChange" })
export type ToolChange = z.infer<typeof ToolChange>

export const Integration = IntegrationSummary.extend({
  tools: z.array(IntegrationTool),
  changes: z.array(ToolChange),
  refused: z
    .array(z.object({ name: z.string(), reason: z.string(), sentence: SentenceBody.optional() }))
    .meta({ description: "Functions that the box doesn't take, and why" }),
}).meta({ id: "Integration" })
export type Integration = z.infer<typeof Integration>

/** The sign-in that a person returning from a provider may finish. */
const IntegrationSignIn = z
  .object({
    integration: z.string().meta({ description: "Its name" }),
    person: z.string().meta({ description: "Name of who began it" }),
    own: z.boolean().meta({ description: "Whether this very session or key began it: no other may finish" }),
    inApp: z
      .boolean()
      .meta({ description: "Whether it was begun in the desktop app, where its user is asked" }),
    answered: z.boolean().meta({ description: "Whether the app has an answer, and asks now" }),
  })
  .meta({ id: "IntegrationSignIn" })
export type IntegrationSignIn = z.infer<typeof IntegrationSignIn>

const state = z.string().min(1).max(200)
const providerAnswer = { code: z.string().min(1).max(8000), iss: z.string().max(2000).optional() }

const one = z.object({ integration: Integration })

/** All require full rights, because commands and addresses often contain passwords. `GET /api/public/tools` reports which tools work. */
export const integrations = {
  list: json({
    method: "get",
    path: "/api/public/integrations",
    summary: "The caller's integrations and MCP servers",
    access: "full",
    output: z.object({ integrations: z.array(IntegrationSummary) }),
  }),
  add: json({
    method: "post",
    path: "/api/public/integrations",
    summary: "Add an MCP server; nothing is started or called before it is linked",
    access: "full",
    body: ServerDraft,
    status: 201,
    output: one,
  }),
  callback: bytes({
    method: "get",
    path: "/api/public/integrations/callback",
    summary:
      "Where providers send the browser after signing in: on to the page, which asks; nothing is exchanged here",
    access: "public",
    query: z.object({
      state: z.string().max(200).optional(),
      code: z.string().max(8000).optional(),
      iss: z.string().max(2000).optional(),
      error: z.string().max(500).optional(),
    }),
    mediaType: "text/html",
  }),
  signIn: json({
    method: "post",
    path: "/api/public/integrations/sign-in",
    summary: "What a sign-in is for, by its `state`, and whether this session began it",
    access: "public",
    body: z.object({ state }),
    output: IntegrationSignIn,
  }),
  handOver: json({
    method: "post",
    path: "/api/public/integrations/sign-in/answer",
    summary:
      "Give what a provider answered to the desktop app that began the sign-in; its user is asked there",
    access: "public",
    body: z.object({ state, ...providerAnswer }),
    output: z.object({ success: z.literal(true) }),
  }),
  finish: json({
    method: "post",
    path: "/api/public/integrations/sign-in/finish",
    summary:
      "Link what a provider answered, once its user has said so; only for the session or key that began",
    access: "full",
    body: z.object({ state, code: providerAnswer.code.optional(), iss: providerAnswer.iss }),
    output: one,
  }),
  read: json({
    method: "get",
    path: "/api/public/integrations/:key",
    summary: "One integration with its functions and what waits to be approved",
    access: "full",
    output: one,
  }),
  update: json({
    method: "patch",
    path: "/api/public/integrations/:key",
    summary: "Change where a server is and what it is given; a changed address or command unlinks it",
    access: "full",
    body: ServerChange,
    output: one,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/integrations/:key",
    summary: "Remove a server; of the catalogue's, everything that was set",
    access: "full",
    output: z.object({ success: z.literal(true), key: z.string() }),
  }),
  link: json({
    method: "post",
    path: "/api/public/integrations/:key/link",
    summary: "Link: start the consented command, or connect; where signing in is needed, the address to open",
    access: "full",
    body: z.object({ consent: z.string().max(100).optional() }),
    output: z.object({ integration: Integration, authorizationUrl: z.string().nullable() }),
  }),
  unlink: json({
    method: "post",
    path: "/api/public/integrations/:key/unlink",
    summary: "End the server's process, revoke and forget its sign-in and its token",
    access: "full",
    output: one,
  }),
  check: json({
    method: "post",
    path: "/api/public/integrations/:key/check",
    summary: "Connect and compare its functions with the approved ones; `problem` says what failed",
    access: "full",
    output: one,
  }),
  approve: json({
    method: "post",
    path: "/api/public/integrations/:key/approve",
    summary: "Switch on functions that were added or changed, exactly as `changes` showed them",
    access: "full",
    body: z.object({ hashes: z.array(z.string().max(100)).min(1).max(200) }),
    output: one,
  }),
  mark: json({
    method: "post",
    path: "/api/public/integrations/:key/mark",
    summary: "Say what a function does, for `read` is asked about less than `write`, or switch it off",
    access: "full",
    body: FunctionMark,
    output: one,
  }),
} as const
