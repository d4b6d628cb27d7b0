import "./messages.ts"
import { account, keys, people, providerSignIn } from "./accounts.ts"
import { assistants } from "./assistants.ts"
import { automations } from "./automations.ts"
import { auditLog } from "./audit-log.ts"
import { chat } from "./chat.ts"
import { chatImports } from "./chat-imports.ts"
import { completions } from "./completions.ts"
import { conversations } from "./conversations.ts"
import { deletions } from "./deletions.ts"
import { facts } from "./facts.ts"
import { files } from "./files.ts"
import { page } from "./first-screen.ts"
import { filing } from "./filing.ts"
import { folders } from "./folders.ts"
import { integrations } from "./integrations.ts"
import { logs } from "./logs.ts"
import { mcpServer } from "./mcp-server.ts"
import { memory } from "./memory.ts"
import { modelServers } from "./model-servers.ts"
import { modelOptions, models } from "./models.ts"
import { notifications } from "./notifications.ts"
import { operation } from "./operation.ts"
import { privacy } from "./privacy.ts"
import { projects } from "./projects.ts"
import { quotas } from "./quotas.ts"
import { questions } from "./questions.ts"
import { queue } from "./queue.ts"
import { settings } from "./settings.ts"
import { storage } from "./storage.ts"
import { support } from "./support.ts"
import { tables } from "./tables.ts"
import { tools } from "./tools.ts"

/** The box's whole API, by feature. */
export const api = {
  account,
  providerSignIn,
  keys,
  people,
  settings,
  privacy,
  models,
  modelServers,
  modelOptions,
  assistants,
  tools,
  integrations,
  folders,
  files,
  filing,
  facts,
  tables,
  chat,
  conversations,
  projects,
  queue,
  automations,
  questions,
  quotas,
  chatImports,
  deletions,
  completions,
  mcpServer,
  memory,
  notifications,
  storage,
  support,
  logs,
  auditLog,
  operation,
  page,
} as const
