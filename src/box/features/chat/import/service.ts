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

  async function run(ownerId: string, path: string, progress: ChatImport): Promise<string | null> {
    // Its readers of archives are wanted by few, and rarely.
    const { runImport } = await import("./run-import.ts")
    return runImport({ db, logger, isClosed: () => closed }, ownerId, path, progress)
  }

  async function runAfter(
    before: Promise<void>,
    ownerId: string,
    path: string,
    progress: ChatImport,
  ): Promise<void> {
    await before
    try {
      const newest = closed ? null : await run(ownerId, path, progress)
      await rm(path, { force: true })
      if (newest !== null) changed(ownerId, newest)
    } catch (error) {
      logger.error({ err: error }, "An import's end wasn't stored")
    }
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
