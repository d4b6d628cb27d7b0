import packageJson from "../../package.json" with { type: "json" }
import { api } from "../../src/shared/contract/api.ts"
import { cloudAccount } from "../../src/shared/contract/cloud-account.ts"
import type { Contract } from "../../src/shared/contract/endpoint.ts"
import { describeApi, type ApiDocument } from "./describe-api.ts"
import { serverErrors, serviceErrors } from "./errors.ts"
import { tickets } from "../../src/shared/contract/tickets.ts"

const info = {
  version: packageJson.version,
  contact: { name: "The authors of Casella" },
  license: { name: packageJson.license, identifier: packageJson.license },
}

/** The API of the server, for `openapi.json`. */
export function describeServer(): ApiDocument {
  return describeApi({
    info: {
      ...info,
      title: "Casella API",
      description: [
        "The API of your own Casella server. The app uses nothing else, so a script can do everything that the app does.",
        "Send an API key in the header `x-api-key`. You create keys under **Settings › API keys**. Under `/api/v1` and at `/api/mcp`, `Authorization: Bearer KEY` works too; elsewhere it doesn't.",
        "Times are ISO 8601 in UTC with milliseconds. Lengths are in characters (Unicode code points), sizes in bytes. Identifiers are UUIDs of version 7 unless their description says otherwise. Unknown fields of a request are ignored.",
        "Every response has the header `x-request-id`, and every `429` and every `unavailable` has `Retry-After` in seconds. An error that isn't listed with an operation has the status 500 or above.",
        "Casella answers only to host names that it knows, and to web pages of origins that were allowed. Anything else is `403`.",
      ].join("\n\n"),
    },
    servers: [
      { url: "http://127.0.0.1:8484", description: "A server on this computer, at its default port." },
    ],
    security: [{ apiKey: [] }],
    securitySchemes: {
      apiKey: {
        type: "apiKey",
        in: "header",
        name: "x-api-key",
        description: "An API key, such as `box_…`. It acts for the person who created it.",
      },
      bearer: {
        type: "http",
        scheme: "bearer",
        description:
          "The same API key as `Authorization: Bearer KEY`, under `/api/v1` and at `/api/mcp` only.",
      },
    },
    tags: serverTags,
    contracts: api,
    errors: serverErrors,
    securityOf: ({ access, path }) => {
      if (access === "public") return []
      const isShared = path.startsWith("/api/v1/") || path === "/api/mcp"
      return isShared ? [{ apiKey: [] }, { bearer: [] }] : undefined
    },
  })
}

/** The API of the auth service, for `openapi-auth.json`. */
export function describeAuthService(): ApiDocument {
  const contracts: Record<string, Contract> = { cloudAccount, tickets }
  return describeApi({
    info: {
      ...info,
      title: "Casella auth service API",
      description: [
        "The API of the auth service: accounts, cloud keys and support tickets. Casella works without it; a server sends support tickets through it.",
        "Send `Authorization: Bearer` with a JWT or a cloud key. Keys of your own Casella server don't work here.",
        "Times are ISO 8601 in UTC with milliseconds, lengths are in characters. Every `429` has `Retry-After` in seconds. An error that isn't listed with an operation has the status 500 or above.",
      ].join("\n\n"),
    },
    servers: [
      { url: "http://127.0.0.1:8585", description: "An auth service on this computer, at its default port." },
    ],
    security: [{ bearer: [] }],
    securitySchemes: {
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "A JWT from sign-in, or a cloud key.",
      },
    },
    tags: authTags,
    contracts,
    errors: serviceErrors,
    securityOf: ({ access }) => (access === "public" ? [] : undefined),
  })
}

export const renderDocument = (document: ApiDocument): string => `${JSON.stringify(document, null, 2)}\n`

interface TagText {
  name: string
  description: string
}

/** By feature of the contract, in the order of the reference. */
const serverTags: Record<keyof typeof api, TagText> = {
  assistants: { name: "Assistants", description: "Instructions, folders and tools under a name." },
  tools: { name: "Tools", description: "Tools that assistants can call." },
  folders: {
    name: "Folders",
    description:
      "Collections of documents that are searched for answers. A folder is called `vector` in paths and fields.",
  },
  files: { name: "Files", description: "Files in a folder, their text and pages, and the trash." },
  filing: {
    name: "Filing",
    description: "Renaming, moving and tagging files, and notes next to them. Every change can be undone.",
  },
  facts: {
    name: "Facts",
    description: "Outlines, key terms, dates and amounts of documents, found without a model.",
  },
  tables: { name: "Tables", description: "SQL queries over spreadsheets." },
  chat: { name: "Chat", description: "Questions and their streamed answers, and approvals of tool calls." },
  conversations: { name: "Chats", description: "Stored chats with their messages." },
  queue: { name: "Queue", description: "Questions that wait until a chat is free." },
  projects: { name: "Projects", description: "Chats that share instructions and folders." },
  chatImports: { name: "Imports", description: "Chats of ChatGPT, Claude and Open WebUI." },
  completions: {
    name: "Model API",
    description:
      "Models in the formats of OpenAI and Anthropic, for existing clients. Nothing is searched or stored.",
  },
  mcpServer: {
    name: "MCP server",
    description: "Casella's tools for other programs that speak the Model Context Protocol.",
  },
  memory: { name: "Memory", description: "Facts that assistants remember about a person." },
  automations: {
    name: "Automations",
    description: "Tasks that run by themselves: on a schedule, for a file, or when a webhook is called.",
  },
  questions: {
    name: "Questions",
    description: "Questions from scripts and models that a person answers with a button.",
  },
  notifications: {
    name: "Notifications",
    description: "Messages that are stored and shown in a person's app.",
  },
  integrations: {
    name: "Integrations",
    description: "Connections to the tools of other programs: the catalogue, and MCP servers.",
  },
  deletions: { name: "Undo", description: "Undoing deletions." },
  account: { name: "Account", description: "The caller, and the app's session." },
  providerSignIn: { name: "Sign-in provider", description: "Signing in with OpenID Connect in a browser." },
  keys: { name: "API keys", description: "Keys for scripts and programs." },
  people: { name: "People", description: "Accounts on this server." },
  quotas: { name: "Quotas", description: "Limits of what people may store and ask." },
  settings: { name: "Settings", description: "Settings of the server and of the caller." },
  models: {
    name: "Models",
    description: "Models on this computer: choosing, downloading and removing them.",
  },
  modelServers: {
    name: "Model servers",
    description: "OpenAI-compatible servers whose models Casella uses.",
  },
  modelOptions: { name: "Model options", description: "Options, cost and speed of a chat model." },
  privacy: {
    name: "Privacy",
    description: "Connections that left this computer, and the sandboxes of child processes.",
  },
  storage: { name: "Storage", description: "Disk usage, backups and restoring them." },
  support: { name: "Support", description: "Reports that the server sends to the support queue." },
  logs: { name: "Logs", description: "The server's log." },
  auditLog: { name: "Audit log", description: "What owners did." },
  operation: { name: "Monitoring", description: "Readiness and metrics." },
  page: { name: "App", description: "What the app shows first." },
}

const authTags: Record<string, TagText> = {
  tickets: { name: "Tickets", description: "Support tickets: bug reports, suggestions and questions." },
  cloudAccount: { name: "Account", description: "Signing in, JWTs and cloud keys." },
}
