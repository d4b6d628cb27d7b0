import { rm } from "node:fs/promises"
import { basename, join } from "node:path"
import type { z } from "zod"
import { ChatImport } from "../../../../shared/contract/chat-imports.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { Receive } from "../../../../serve/receive.ts"
import { uploadsPath } from "../../../core/data-layout.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import { makeDirectoryInside } from "../../../core/files/path-jail.ts"
import { newId } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { breathe } from "../../../core/waiting/breathe.ts"
import { toExportedChat } from "./formats.ts"
import { importChat, type Imported } from "./import-chat.ts"
import { BadArchive, readExport } from "./read-export.ts"
import { NotJson, type JsonElement } from "./split-json.ts"

const mostSkipped = 1_000
const longestName = 200

export interface ChatImports extends AsyncDisposable {
  /** Throws `conflict` while another import of the person's is running. */
  start(ownerId: string, receive: Receive<unknown>): Promise<ChatImport>
  read(ownerId: string, id: string): Promise<ChatImport>
  /** What ran when the box ended has failed; importing the same once more goes on with it. */
  begin(): Promise<void>
}

export interface ChatImportsDeps {
  db: DbOf<"chat">
  dataDir: string
  logger: Logger
  /** Tells the person's apps that chats changed, by the last of them. */
  changed(ownerId: string, chatId: string): void
}

export function createChatImports({ db, dataDir, logger, changed }: ChatImportsDeps): ChatImports {
  let last: Promise<void> = Promise.resolve()
  let closed = false
  /** The newest chat that an import changed. */
  const changedChats = new Map<string, string>()

  const save = (progress: ChatImport) =>
    db
      .updateTable("chatImports")
      .set({ ...progress, skipped: JSON.stringify(progress.skipped) })
      .where("id", "=", progress.id)
      .execute()

  async function run(ownerId: string, path: string, progress: ChatImport): Promise<void> {
    if (closed) return
    progress.status = "running"
    const skip = (what: string, reason: string) => {
      if (progress.skipped.length < mostSkipped)
        progress.skipped.push({ what: what.toWellFormed().slice(0, longestName), reason })
    }
    try {
      await save(progress)
      let number = 0
      for await (const element of readExport(path)) {
        if (closed) return
        await breathe()
        number++
        await take(ownerId, element, number, progress, skip)
        if (number % 50 === 0) await save(progress)
      }
      progress.status = "completed"
    } catch (error) {
      if (closed) return
      progress.status = "failed"
      skip("import", reasonOf(error))
      if (!(error instanceof BadArchive || error instanceof NotJson))
        logger.warn({ err: error }, "An import of chats failed")
    }
    await save(progress)
    const newest = changedChats.get(progress.id)
    changedChats.delete(progress.id)
    if (newest !== undefined) changed(ownerId, newest)
  }

  async function runAfter(
    before: Promise<void>,
    ownerId: string,
    path: string,
    progress: ChatImport,
  ): Promise<void> {
    await before
    try {
      await run(ownerId, path, progress)
      await rm(path, { force: true })
    } catch (error) {
      logger.error({ err: error }, "An import's end wasn't stored")
    }
  }

  async function take(
    ownerId: string,
    element: JsonElement,
    number: number,
    progress: ChatImport,
    skip: (what: string, reason: string) => void,
  ): Promise<void> {
    const unnamed = `chat ${number}`
    if ("problem" in element) return skip(unnamed, problems[element.problem])
    const value = parse(element.text)
    const chat = value === undefined ? null : toExportedChat(value)
    if (chat === null) return skip(unnamed, "It isn't a chat of ChatGPT, Claude or Open WebUI.")
    const imported: Imported = await importChat(db, ownerId, chat)
    const name = chat.title || unnamed
    if ("reason" in imported) return skip(name, imported.reason)
    progress.chats++
    progress.messages += imported.added
    changedChats.set(progress.id, imported.chatId)
    if (chat.leftOut > 0) skip(name, `${chat.leftOut} pictures or files of it aren't taken over.`)
  }

  async function requireIdle(ownerId: string): Promise<void> {
    const other = await db
      .selectFrom("chatImports")
      .select("id")
      .where("ownerId", "=", ownerId)
      .where("status", "in", ["queued", "running"])
      .executeTakeFirst()
    if (other) throw new AppError("conflict", sentence("conversations.import_running"))
  }

  return {
    async start(ownerId, receive) {
      await requireIdle(ownerId)
      const directory = uploadsPath(dataDir)
      await makeDirectoryInside(dataDir, [basename(directory)])
      const path = join(directory, newId())
      const progress: ChatImport = { id: newId(), status: "queued", chats: 0, messages: 0, skipped: [] }
      try {
        await receive({ path, headBytes: 0 })
        await requireIdle(ownerId)
        const { skipped: _, ...row } = progress
        await db
          .insertInto("chatImports")
          .values({ ...row, ownerId })
          .execute()
      } catch (error) {
        await rm(path, { force: true })
        throw error
      }
      const answer = { ...progress }
      last = runAfter(last, ownerId, path, progress)
      return answer
    },

    async read(ownerId, id) {
      const row = await db
        .selectFrom("chatImports")
        .select(["id", "status", "chats", "messages", "skipped"])
        .where("ownerId", "=", ownerId)
        .where("id", "=", id)
        .executeTakeFirst()
      if (!row) throw new AppError("not_found", sentence("conversations.no_import"))
      return { ...row, skipped: readStored(Skipped, row.skipped) ?? [] }
    },

    async begin() {
      const skipped = [{ what: "import", reason: "The box ended meanwhile: import the file once more." }]
      await db
        .updateTable("chatImports")
        .set({ status: "failed", skipped: JSON.stringify(skipped) })
        .where("status", "in", ["queued", "running"])
        .execute()
    },

    async [Symbol.asyncDispose]() {
      closed = true
      await last
    },
  }
}

const Skipped: z.ZodType<ChatImport["skipped"]> = ChatImport.shape.skipped

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
