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
import { Sentence, type SentenceArguments, splitSentences, type ValueNames } from "./sentence.ts"
import type { Notice } from "../contract/folders.ts"

/** All messages of the box, its tools and its engines to people. The page has the translations. */
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
} as const

type Lists = typeof sentences
export type SentenceCode = {
  [Feature in keyof Lists]: `${Feature}.${keyof Lists[Feature] & string}`
}[keyof Lists]
/** Codes of sentences without values. */
export type PlainCode = {
  [Code in SentenceCode]: [ValueNames<TextOf<Code>>] extends [never] ? Code : never
}[SentenceCode]
type TextOf<Code> = Code extends `${infer Feature extends keyof Lists}.${infer Key}`
  ? Key extends keyof Lists[Feature]
    ? Lists[Feature][Key]
    : never
  : never

/** Creates the sentence for a code: `sentence("memory.too_many", { count: 500 })`. */
export function sentence<Code extends SentenceCode>(
  code: Code,
  ...values: SentenceArguments<TextOf<Code>>
): Sentence {
  const [feature = "", key = ""] = code.split(".")
  const list: Readonly<Record<string, string>> = sentences[feature as keyof Lists]
  return Sentence.make(code, list[key] ?? code, values[0])
}

/** Creates a notice about an answer. Its code is the sentence's code. */
export function createNotice<Code extends keyof typeof notices>(
  code: Code,
  ...values: SentenceArguments<(typeof notices)[Code]>
): Notice {
  const { text, field } = splitSentences("notices", notices)(code, ...values)
  return { code, message: text, sentence: field.sentence }
}
