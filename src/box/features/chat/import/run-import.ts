import type { FoundChats, ChatImport } from "../../../../shared/contract/chat-imports.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import type { Sentence } from "../../../../shared/sentences/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { isDiskFull } from "../../../core/disk/disk-space.ts"
import { timestamp } from "../../../core/ids.ts"
import type { Logger } from "../../../core/logging/logger.ts"
import { yieldToEventLoop } from "../../../core/waiting/yield-to-event-loop.ts"
import { parseExportedChat, findTitle } from "./formats.ts"
import { getChatId, importChat } from "./import-chat.ts"
import { type ImportStore, skip, skippedAll } from "./import-store.ts"
import {
  readExport,
  BadArchive,
  maxElements,
  TooManyChats,
  maxElementMb,
  NotJson,
  type JsonElement,
} from "./read-export.ts"

/** Examines an export without importing anything; returns null if it was stopped. Throws like `readExport`. */
async function findChats(
  db: DbOf<"chat">,
  ownerId: string,
  path: string,
  isEnded: () => boolean,
  pause?: () => Promise<void>,
): Promise<FoundChats | null> {
  let [chats, here, from, to] = [0, 0, Infinity, -Infinity]
  for await (const element of readExport(path, isEnded, pause)) {
    await yieldToEventLoop()
    const chat = "text" in element ? parseExportedChat(element.text) : null
    if (chat === null) continue
    chats++
    from = Math.min(from, chat.createdAt ?? Infinity)
    to = Math.max(to, chat.updatedAt ?? chat.createdAt ?? -Infinity)
    if (await isHere(db, ownerId, getChatId(chat))) here++
  }
  if (isEnded()) return null
  const moment = (ms: number) => (Number.isFinite(ms) ? timestamp(ms) : null)
  return { chats, here, from: moment(from), to: moment(to) }
}

async function isHere(db: DbOf<"chat">, ownerId: string, chatId: string): Promise<boolean> {
  const row = await db
    .selectFrom("conversations")
    .select("id")
    .where("ownerId", "=", ownerId)
    .where("id", "=", chatId)
    .where("removed", "=", 0)
    .executeTakeFirst()
  return row !== undefined
}

/** Interval for storing the progress. Each time all of it is written, however small the chats are. */
const savedEveryMs = 1_000
/**
 * Factor for the disk space of a message: it is stored with its parts and its search words, and all of it is first written to the
 * database's log.
 */
const timesStored = 4
const reservedBytes = 256 * 2 ** 20

export interface RunImportDeps {
  db: DbOf<"chat">
  store: Pick<ImportStore, "save">
  logger: Logger
  /** Whether the box is stopping; the rest is then left as it is. */
  isClosed(): boolean
  /** Lets other imports run. */
  pause?: () => Promise<void>
  /** Free space of the disk with the chats. */
  freeBytes(): Promise<number>
}

/** An import in progress. */
export interface ImportJob {
  readonly ownerId: string
  readonly path: string
  readonly progress: ChatImport
  /** Whether a key without full rights imports the chats. */
  readonly isByScopedKey: boolean
  /** Whether a user stopped it. */
  isStopped: boolean
}

/** Examines an export, which then waits for confirmation. */
export async function checkExport(deps: RunImportDeps, job: ImportJob): Promise<void> {
  const { ownerId, path, progress } = job
  const isEnded = () => deps.isClosed() || job.isStopped
  progress.status = "checking"
  await failing(deps, job, async () => {
    await deps.store.save(progress)
    const found = await findChats(deps.db, ownerId, path, isEnded, deps.pause)
    if (found === null) progress.status = "stopped"
    else if (found.chats === 0) fail(progress, sentence("conversations.import_no_chats"))
    else Object.assign(progress, { status: "found", found })
  })
}

/** Imports the chats of an export. Returns the last one that changed; null if none did. */
export async function runImport(deps: RunImportDeps, job: ImportJob): Promise<string | null> {
  const { progress } = job
  let newest: string | null = null
  progress.status = "running"
  await failing(deps, job, async () => {
    await deps.store.save(progress)
    let savedAt = performance.now()
    const isEnded = () => deps.isClosed() || job.isStopped
    for await (const element of readExport(job.path, isEnded, deps.pause)) {
      await yieldToEventLoop()
      progress.done++
      await requireRoom(deps, element)
      newest = (await take(deps.db, job, element)) ?? newest
      if (performance.now() - savedAt < savedEveryMs) continue
      await deps.store.save(progress)
      savedAt = performance.now()
    }
    progress.status = job.isStopped ? "stopped" : "completed"
  })
  return newest
}

/** A small archive may contain more than fits the disk. Throws `disk_full` if a chat would use space that others need. */
async function requireRoom(
  { freeBytes }: Pick<RunImportDeps, "freeBytes">,
  element: JsonElement,
): Promise<void> {
  const needed = "text" in element ? element.text.length * timesStored + reservedBytes : 0
  if (needed > 0 && (await freeBytes()) < needed) throw new AppError("disk_full", sentence("http.disk_full"))
}

/** Stores how the import ended, unless the box is stopping: the next start then records that. */
async function failing(
  { store, logger, isClosed }: RunImportDeps,
  job: ImportJob,
  work: () => Promise<void>,
): Promise<void> {
  const { progress } = job
  try {
    await work()
  } catch (error) {
    if (isClosed()) return
    if (job.isStopped) progress.status = "stopped"
    else if (error instanceof NotJson) fail(progress, sentence("conversations.import_not_json"))
    else if (error instanceof BadArchive) fail(progress, sentence("conversations.import_bad_archive"))
    else if (error instanceof TooManyChats)
      fail(progress, sentence("conversations.import_too_many_in_file", { count: maxElements }))
    else if (isDiskFull(error)) fail(progress, sentence("http.disk_full"))
    else {
      fail(progress, sentence("conversations.import_broke"))
      logger.warn({ err: error }, "An import of chats failed")
    }
  }
  if (isClosed()) return
  if (progress.status !== "found") progress.endedAt = timestamp()
  await store.save(progress)
}

function fail(progress: ChatImport, why: Sentence): void {
  progress.status = "failed"
  progress.skipped.push(skippedAll(why))
}

/** Returns the imported chat's id; null if the chat wasn't imported. */
async function take(
  db: DbOf<"chat">,
  { ownerId, progress, isByScopedKey }: ImportJob,
  element: JsonElement,
): Promise<string | null> {
  const number = progress.done
  if ("problem" in element) {
    skip(progress, { title: findTitle(element.start), number }, problems[element.problem]())
    return null
  }
  const chat = parseExportedChat(element.text)
  if (chat === null) {
    skip(progress, { title: findTitle(element.text), number }, sentence("conversations.import_unknown"))
    return null
  }
  const named = { title: chat.title, number }
  const imported = await importChat(db, ownerId, chat, { importId: progress.id, isByScopedKey })
  if ("reason" in imported) {
    if (imported.isKnown) progress.known++
    skip(progress, named, imported.reason, imported.isKnown)
    return null
  }
  progress.chats++
  progress.messages += imported.added
  if (chat.leftOut > 0)
    skip(progress, named, sentence("conversations.import_left_out", { count: chat.leftOut }))
  return imported.chatId
}

const problems = {
  too_long: () => sentence("conversations.import_too_long", { count: maxElementMb }),
  too_deep: () => sentence("conversations.import_too_deep"),
  cut_off: () => sentence("conversations.import_cut_off"),
} as const
