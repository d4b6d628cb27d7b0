import type { ChatImport } from "../../../../shared/contract/chat-imports.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { breathe } from "../../../core/waiting/breathe.ts"
import { toExportedChat } from "./formats.ts"
import { importChat } from "./import-chat.ts"
import { BadArchive, readExport } from "./read-export.ts"
import { NotJson, type JsonElement } from "./split-json.ts"

const mostSkipped = 1_000
const longestName = 200
/** Chats after which is stored how far it got. */
const savedEvery = 50

export interface RunImportDeps {
  db: DbOf<"chat">
  logger: Logger
  /** Whether the box ends: what is left is left. */
  isClosed(): boolean
}

type Skip = (what: string, reason: string) => void

/** Takes over the chats of an export; the last one that changed, null where none did. */
export async function runImport(
  { db, logger, isClosed }: RunImportDeps,
  ownerId: string,
  path: string,
  progress: ChatImport,
): Promise<string | null> {
  let newest: string | null = null
  const skip: Skip = (what, reason) => {
    if (progress.skipped.length < mostSkipped)
      progress.skipped.push({ what: what.toWellFormed().slice(0, longestName), reason })
  }
  progress.status = "running"
  try {
    await save(db, progress)
    let number = 0
    for await (const element of readExport(path)) {
      if (isClosed()) return null
      await breathe()
      number++
      newest = (await take(db, ownerId, element, number, progress, skip)) ?? newest
      if (number % savedEvery === 0) await save(db, progress)
    }
    progress.status = "completed"
  } catch (error) {
    if (isClosed()) return null
    progress.status = "failed"
    skip("import", reasonOf(error))
    if (!(error instanceof BadArchive || error instanceof NotJson))
      logger.warn({ err: error }, "An import of chats failed")
  }
  await save(db, progress)
  return newest
}

const save = (db: DbOf<"chat">, progress: ChatImport) =>
  db
    .updateTable("chatImports")
    .set({ ...progress, skipped: JSON.stringify(progress.skipped) })
    .where("id", "=", progress.id)
    .execute()

/** The chat that it came to; null where it wasn't taken over. */
async function take(
  db: DbOf<"chat">,
  ownerId: string,
  element: JsonElement,
  number: number,
  progress: ChatImport,
  skip: Skip,
): Promise<string | null> {
  const unnamed = `chat ${number}`
  const no = (what: string, reason: string): null => {
    skip(what, reason)
    return null
  }
  if ("problem" in element) return no(unnamed, problems[element.problem])
  const value = parse(element.text)
  const chat = value === undefined ? null : toExportedChat(value)
  if (chat === null) return no(unnamed, "It isn't a chat of ChatGPT, Claude or Open WebUI.")
  const imported = await importChat(db, ownerId, chat)
  const name = chat.title || unnamed
  if ("reason" in imported) return no(name, imported.reason)
  progress.chats++
  progress.messages += imported.added
  if (chat.leftOut > 0) skip(name, `${chat.leftOut} pictures or files of it aren't taken over.`)
  return imported.chatId
}

const problems = {
  too_long: "It is longer than 64 MB.",
  too_deep: "It is nested too deeply.",
  cut_off: "The file ends in the middle of it.",
} as const

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof NotJson) return "The file is neither a ZIP nor a JSON file of chats."
  if (error instanceof BadArchive) return "The ZIP file is damaged, too large, or has no chats in it."
  return "Something went wrong; what was imported until then is here."
}
