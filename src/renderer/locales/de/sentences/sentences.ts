import type { sentences as english } from "../../../../shared/sentences/sentences.ts"
import { accounts } from "./accounts.ts"
import { approvals } from "./approvals.ts"
import { assistants } from "./assistants.ts"
import { automations } from "./automations.ts"
import { chat } from "./chat.ts"
import { client } from "./client.ts"
import { completions } from "./completions.ts"
import { conversations } from "./conversations.ts"
import { core } from "./core.ts"
import { deletions } from "./deletions.ts"
import { facts } from "./facts.ts"
import { files } from "./files.ts"
import { filing } from "./filing.ts"
import { folders } from "./folders.ts"
import { http } from "./http.ts"
import { integrations } from "./integrations.ts"
import { llama } from "./llama.ts"
import { memory } from "./memory.ts"
import { models } from "./models.ts"
import { notices } from "./notices.ts"
import { notifications } from "./notifications.ts"
import { pictures } from "./pictures.ts"
import { projects } from "./projects.ts"
import { questions } from "./questions.ts"
import { queue } from "./queue.ts"
import { quotas } from "./quotas.ts"
import { reading } from "./reading.ts"
import { remote } from "./remote.ts"
import { search } from "./search.ts"
import { settings } from "./settings.ts"
import { storage } from "./storage.ts"
import { support } from "./support.ts"
import { tables } from "./tables.ts"
import { tools } from "./tools.ts"
import { validation } from "./validation.ts"

/** All sentences of the box. The English ones are in the box itself. */
export const sentences = {
  accounts,
  approvals,
  assistants,
  automations,
  chat,
  client,
  completions,
  conversations,
  core,
  deletions,
  facts,
  files,
  filing,
  folders,
  http,
  integrations,
  llama,
  memory,
  models,
  notices,
  notifications,
  pictures,
  projects,
  questions,
  queue,
  quotas,
  reading,
  remote,
  search,
  settings,
  storage,
  support,
  tables,
  tools,
  validation,
} satisfies Record<keyof typeof english, unknown>
