import { z } from "zod"
import { bytes, json } from "./endpoint.ts"
import { Timestamp } from "./primitives.ts"
import { SentenceBody } from "./sentence.ts"
import { wrong } from "./wrong.ts"

const line = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    // These characters end or disguise what is shown and run: control characters, direction marks and invisible characters.
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, wrong("one_line"))
const secret = z.string().regex(/^[\x21-\x7e]{1,8000}$/, wrong("text_without_spaces"))
const environmentName = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

/** A remote server, or one on this network if an owner of the box entered its address. */
export const HttpTarget = z.object({
  kind: z.literal("http").describe("A server that is reached by HTTP."),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .refine((address) => {
      if (!URL.canParse(address)) return true // the previous check reports it
      const { username, password, hash } = new URL(address)
      return username === "" && password === "" && hash === ""
    }, wrong("address_without_hash"))
    .describe("Address of the MCP server."),
})

/** A program on this computer that communicates over standard input and output. It runs without a shell. */
export const CommandTarget = z.object({
  kind: z.literal("command").describe("A program that the server starts."),
  command: line(1000).min(1).describe("Program to start."),
  args: z.array(line(4000)).max(64).default([]).describe("Arguments of the program, at most 64."),
})

export const ServerTarget = z.discriminatedUnion("kind", [HttpTarget, CommandTarget])
export type ServerTarget = z.infer<typeof ServerTarget>

/** Credentials sent to a server. An omitted field stays unchanged, null removes it, and none is ever shown again. */
const credentials = {
  token: secret
    .nullish()
    .describe("Token that is sent as `Authorization: Bearer`, instead of signing in. null removes it."),
  clientId: secret
    .nullish()
    .describe("Identifier of an OAuth client that you created at the provider. null removes it."),
  clientSecret: secret.nullish().describe("Secret of that OAuth client. null removes it."),
  env: z
    .record(z.string(), z.string().max(10_000))
    .refine((env) => Object.keys(env).length <= 50, wrong("most_entries", { count: 50 }))
    .refine((env) => Object.keys(env).every((name) => environmentName.test(name)), wrong("names_of_letters"))
    .nullish()
    .describe(
      "Environment variables of the program, besides `PATH`, `HOME` and the user's name. An update replaces all of them; null removes them.",
    ),
}

const ServerName = z.string().trim().min(1).max(40)

export const ServerDraft = z.object({
  name: ServerName.describe("Display name of the MCP server."),
  target: ServerTarget.describe("Where the MCP server is reached, or how it is started."),
  ...credentials,
})
export type ServerDraft = z.infer<typeof ServerDraft>

export const ServerChange = z.object({
  target: ServerTarget.optional().describe("New address or command. Changing it disconnects the MCP server."),
  ...credentials,
})
export type ServerChange = z.infer<typeof ServerChange>

/**
 * `needs_address`: it needs an address before it can be connected. `signed_out`: the provider no longer accepts its sign-in. `changed`:
 * some tools are off until their new descriptions are approved.
 */
const IntegrationState = z
  .enum(["needs_address", "unlinked", "linked", "signed_out", "changed"])
  .describe("State of the connection. `changed`: functions wait for approval.")
export type IntegrationState = z.infer<typeof IntegrationState>

/** A connection to another program's tools: one from the catalogue, or a server that the user added. */
export const IntegrationSummary = z
  .object({
    key: z
      .string()
      .describe("Tool key for `builtInTools`: `int_…`, or `mcp_…` for a server that the user added."),
    name: z.string().describe("Display name."),
    group: z
      .enum(["integration", "mcp"])
      .describe("`integration` for the catalogue, `mcp` for a server that the user added."),
    state: IntegrationState,
    target: ServerTarget.nullable().describe(
      "Where it is reached, or how it is started; null if that isn't set.",
    ),
    setup: z
      .enum(["none", "address", "client", "token", "environment"])
      .describe("What it needs besides a sign-in."),
    documentation: z
      .string()
      .nullable()
      .describe("The provider's page about its MCP server; null if there is none."),
    redirectUrl: z.string().describe("Redirect address for an OAuth client that you create at the provider."),
    consent: z
      .string()
      .nullable()
      .describe("Value that `link` takes as consent to start exactly this command; null for addresses."),
    clientId: z.string().nullable().describe("OAuth client that was entered; null if none was."),
    hasToken: z.boolean().describe("true if a token is stored. It is never shown."),
    hasClientSecret: z.boolean().describe("true if a client secret is stored. It is never shown."),
    environment: z
      .array(z.string())
      .describe("Names of the program's environment variables. Their values are never shown."),
    linkedAt: Timestamp.nullable().describe("When it was connected; null if it isn't."),
    toolCount: z.int().describe("Functions that models may call."),
    changeCount: z.int().describe("Functions that wait for approval because they were added or changed."),
    problem: z
      .string()
      .nullable()
      .describe("Why the last use failed, in a sentence for people; null if it didn't."),
    sentence: SentenceBody.optional().describe("Code and values of `problem`, for translation."),
  })
  .meta({
    id: "IntegrationSummary",
    description:
      "A connection to the tools of another program: one of the catalogue, or an MCP server that the user added.",
  })
export type IntegrationSummary = z.infer<typeof IntegrationSummary>

/** A server's description of a tool, cut to the part that models see. */
const FunctionText = z.object({
  description: z.string().describe("Description of the function, as models read it."),
  parameters: z.record(z.string(), z.unknown()).describe("JSON Schema of the arguments."),
})

const IntegrationTool = z
  .object({
    name: z.string().describe("Name of the function on its server."),
    functionName: z.string().describe("Name of the function in tool calls."),
    ...FunctionText.shape,
    effect: z
      .enum(["read", "write"])
      .describe("`read` if its user marked it as harmless, otherwise `write`."),
    enabled: z.boolean().describe("false if the function is switched off."),
  })
  .meta({ id: "IntegrationTool", description: "A function of an integration." })
export type IntegrationTool = z.infer<typeof IntegrationTool>

/** A user's settings for one tool or for all of them. */
const FunctionMark = z
  .object({
    name: z.string().max(200).optional().describe("Function to mark. Default: all functions in use."),
    effect: z
      .enum(["read", "write"])
      .optional()
      .describe("`read` if the function changes nothing. It then needs fewer approvals."),
    enabled: z.boolean().optional().describe("false switches the function off."),
  })
  .refine(({ effect, enabled }) => effect !== undefined || enabled !== undefined, {
    path: ["effect"],
    ...wrong("effect_or_enabled"),
  })
export type FunctionMark = z.infer<typeof FunctionMark>

const ToolChange = z
  .object({
    kind: z.enum(["added", "changed"]).describe("Whether the function is new."),
    name: z.string().describe("Name of the function on its server."),
    hash: z.string().describe("Value that `approve` takes for exactly this change."),
    before: FunctionText.nullable().describe("The function before; null if it is new."),
    after: FunctionText.describe("The function afterwards."),
  })
  .meta({ id: "ToolChange", description: "A function that was added or changed and waits for approval." })
export type ToolChange = z.infer<typeof ToolChange>

export const Integration = IntegrationSummary.extend({
  tools: z.array(IntegrationTool).describe("Functions in use."),
  changes: z.array(ToolChange).describe("Functions that wait for approval."),
  refused: z
    .array(
      z.object({
        name: z.string().describe("Name of the function on its server."),
        reason: z.string().describe("Why it can't be used, in a sentence for people."),
        sentence: SentenceBody.optional(),
      }),
    )
    .describe("Functions that can't be used, with reasons."),
}).meta({ id: "Integration", description: "An integration with its functions." })
export type Integration = z.infer<typeof Integration>

/** The sign-in that a person returning from a provider may finish. */
const IntegrationSignIn = z
  .object({
    integration: z.string().describe("Name of the integration."),
    person: z.string().describe("Name of the person who started it."),
    own: z.boolean().describe("true if this session or key started it. No other can finish it."),
    inApp: z.boolean().describe("true if it was started in the desktop app, which then asks its user."),
    answered: z.boolean().describe("true if the desktop app has the provider's response and asks its user."),
  })
  .meta({ id: "IntegrationSignIn", description: "A sign-in at a provider that someone is completing." })
export type IntegrationSignIn = z.infer<typeof IntegrationSignIn>

const state = z.string().min(1).max(200)
const providerAnswer = {
  code: z.string().min(1).max(8000).describe("Code from the provider."),
  iss: z.string().max(2000).optional().describe("Issuer from the provider."),
}

const one = z.object({ integration: Integration.describe("The integration.") })

/** All require full rights, because commands and addresses often contain passwords. `GET /api/public/tools` reports which tools work. */
export const integrations = {
  list: json({
    method: "get",
    path: "/api/public/integrations",
    summary: "List integrations",
    description: "Returns the integrations of the catalogue and the caller's own MCP servers.",
    access: "full",
    output: z.object({ integrations: z.array(IntegrationSummary).describe("Integrations and MCP servers.") }),
  }),
  add: json({
    method: "post",
    path: "/api/public/integrations",
    summary: "Add an MCP server",
    description: "Nothing is started or called before the server is connected with `link`.",
    errors: ["conflict"],
    access: "full",
    body: ServerDraft,
    status: 201,
    output: one,
  }),
  callback: bytes({
    method: "get",
    path: "/api/public/integrations/callback",
    summary: "Return from a provider",
    description:
      "A provider sends the browser here after a sign-in. The response redirects to the app, which asks its user. Nothing is exchanged yet.",
    access: "public",
    query: z.object({
      state: z.string().max(200).optional().describe("State of the sign-in."),
      code: z.string().max(8000).optional().describe("Code from the provider."),
      iss: z.string().max(2000).optional().describe("Issuer from the provider."),
      error: z.string().max(500).optional().describe("Error from the provider."),
    }),
    mediaType: "text/html",
  }),
  signIn: json({
    method: "post",
    path: "/api/public/integrations/sign-in",
    summary: "Get a sign-in at a provider",
    description: "Returns what a sign-in is for, and whether this session started it.",
    errors: ["not_found"],
    access: "public",
    body: z.object({ state: state.describe("State of the sign-in.") }),
    output: IntegrationSignIn,
  }),
  handOver: json({
    method: "post",
    path: "/api/public/integrations/sign-in/answer",
    summary: "Hand a sign-in to the desktop app",
    description:
      "Gives the provider's response to the desktop app that started the sign-in. Its user is asked there.",
    errors: ["not_found", "conflict"],
    access: "public",
    body: z.object({ state: state.describe("State of the sign-in."), ...providerAnswer }),
    output: z.object({ success: z.literal(true).describe("Always true; a failure has an error status.") }),
  }),
  finish: json({
    method: "post",
    path: "/api/public/integrations/sign-in/finish",
    summary: "Finish a sign-in at a provider",
    description:
      "Connects the integration after its user has agreed. Only the session or key that started the sign-in can finish it.",
    errors: ["not_found", "conflict", "local_only"],
    access: "full",
    body: z.object({
      state: state.describe("State of the sign-in."),
      code: providerAnswer.code
        .optional()
        .describe("Code from the provider. Missing if the desktop app already has it."),
      iss: providerAnswer.iss.describe("Issuer from the provider."),
    }),
    output: one,
  }),
  read: json({
    method: "get",
    path: "/api/public/integrations/:key",
    summary: "Get an integration",
    description: "Returns an integration with its functions and those that wait for approval.",
    access: "full",
    output: one,
  }),
  update: json({
    method: "patch",
    path: "/api/public/integrations/:key",
    summary: "Change an integration",
    description: "Changes the address, command or credentials. A changed address or command disconnects it.",
    errors: ["conflict"],
    access: "full",
    body: ServerChange,
    output: one,
  }),
  remove: json({
    method: "delete",
    path: "/api/public/integrations/:key",
    summary: "Remove an MCP server",
    description:
      "Removes an MCP server. For an integration of the catalogue, it removes everything that was set.",
    access: "full",
    output: z.object({
      success: z.literal(true).describe("Always true; a failure has an error status."),
      key: z.string().describe("Tool key of the removed server."),
    }),
  }),
  link: json({
    method: "post",
    path: "/api/public/integrations/:key/link",
    summary: "Connect an integration",
    description:
      "Starts the command or connects to the address. If a sign-in is needed, the response has the address to open.",
    errors: ["conflict", "local_only"],
    access: "full",
    body: z.object({
      consent: z
        .string()
        .max(100)
        .optional()
        .describe(
          "`consent` of the integration. Required for a command, which is started only if it hasn't changed since.",
        ),
    }),
    output: z.object({
      integration: Integration,
      authorizationUrl: z
        .string()
        .nullable()
        .describe("Address to open in a browser to sign in; null if no sign-in is needed."),
    }),
  }),
  unlink: json({
    method: "post",
    path: "/api/public/integrations/:key/unlink",
    summary: "Disconnect an integration",
    description: "Ends the program, revokes the sign-in and forgets the token.",
    access: "full",
    output: one,
  }),
  check: json({
    method: "post",
    path: "/api/public/integrations/:key/check",
    summary: "Check an integration",
    description:
      "Connects and compares the functions with those that were approved. `problem` says what failed.",
    errors: ["conflict", "local_only"],
    access: "full",
    output: one,
  }),
  approve: json({
    method: "post",
    path: "/api/public/integrations/:key/approve",
    summary: "Approve functions",
    description: "Switches on functions that were added or changed, exactly as `changes` showed them.",
    errors: ["conflict"],
    access: "full",
    body: z.object({
      hashes: z
        .array(z.string().max(100))
        .min(1)
        .max(200)
        .describe("`hash` of each change to approve, at most 200."),
    }),
    output: one,
  }),
  mark: json({
    method: "post",
    path: "/api/public/integrations/:key/mark",
    summary: "Mark functions",
    description: "Marks functions as `read` or `write`, or switches them on or off.",
    errors: ["conflict"],
    access: "full",
    body: FunctionMark,
    output: one,
  }),
} as const
