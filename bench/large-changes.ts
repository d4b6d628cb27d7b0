import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import SqliteDatabase from "better-sqlite3"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import { databasePath } from "../src/box/start/open-data.ts"
import { atMost, startWatchedBox, type WatchedBox } from "./watched-box.ts"
import { printResults, type BenchResult } from "./result.ts"

const files = Number(process.argv[2] ?? 30_000)
const filesPerDirectory = 300
const notifications = 100_000
const messages = 10_000
const trashed = 10_000
const vocabulary = Array.from({ length: 20_000 }, (_, number) => getWord(number))
/** Texts of the chats' messages: a trigram index is small for the first kind and large for the second. */
const chats: Record<string, (depth: number) => string> = {
  "the same words": (depth) => `${depth} ${"words of a message ".repeat(50)}`,
  "varied words": (depth) =>
    Array.from({ length: 130 }, (_, index) => vocabulary[(depth * 7919 + index * 104_729) % 20_000]).join(
      " ",
    ),
}
const largeText = { name: "large.txt", megabytes: 10 }
const maxPauseMs = 50

/** Effect of one request, or one change on the disk, on tens of thousands of rows, and the box's longest pause during it. */
export async function run(): Promise<BenchResult[]> {
  const base = await mkdtemp(join(tmpdir(), "casella-bench-"))
  try {
    return await measure(base)
  } finally {
    await rm(base, { recursive: true, force: true })
  }
}

async function measure(base: string): Promise<BenchResult[]> {
  const dataDir = join(base, "data")
  const documents = join(base, "documents")
  await writeDocuments(documents)
  const first = await startWatchedBox(dataDir)
  const key = first.firstRunKey ?? ""
  await first.stop()
  fill(dataDir)
  await fillTrash(dataDir)

  const box = await startWatchedBox(dataDir)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  try {
    return await changes(box, client, documents)
  } finally {
    await box.stop()
  }
}

async function changes(box: WatchedBox, client: Client, documents: string): Promise<BenchResult[]> {
  const results: BenchResult[] = []
  async function measured(name: string, work: () => Promise<unknown>): Promise<void> {
    await pause(1_000)
    await box.pauses()
    const start = performance.now()
    await work()
    const seconds = (performance.now() - start) / 1000
    const { max, busiest } = await box.pauses()
    console.error(name, seconds, max, busiest)
    results.push({ name, value: seconds, unit: "s" })
    results.push({ name: "… longest pause", value: max, unit: "ms" })
    results.push(atMost("… most processor time at once", busiest, "ms", maxPauseMs))
  }
  const body = { name: "Bench", folder: documents }
  const { vector } = await client.folders.create({ body })
  const params = { id: vector.id }
  const counts = async () => (await client.folders.read({ params })).vector
  const until = async (done: () => Promise<boolean>) => {
    while (!(await done())) await pause(200)
  }
  const settled = async () => {
    const { fileCount, pendingCount } = await counts()
    return fileCount === files + 1 && pendingCount === 0
  }
  await measured(`${files} files found and indexed`, () => until(settled))

  const found = async (search: string) =>
    (await client.files.list({ params, query: { search, limit: 1 } })).total
  await measured("a page of their list, searched", () => found("note-17"))
  await measured("their directory renamed", async () => {
    const [sample] = (await client.files.list({ params, query: { search: "note-7.md", limit: 1 } })).files
    await rename(join(documents, "old"), join(documents, "new"))
    const fileId = sample?.id ?? ""
    await until(async () =>
      (await client.files.read({ params: { id: vector.id, fileId } })).file.folder.startsWith("new"),
    )
    await pause(3_000) // time for the other files
  })
  await measured("all of them changed", async () => {
    await writeDocuments(documents, "new", " again")
    await pause(5_000)
    await until(settled)
  })
  await measured(`one document of ${largeText.megabytes} MB deleted`, async () => {
    const [large] = (await client.files.list({ params, query: { search: largeText.name } })).files
    await client.files.remove({ params: { id: vector.id, fileId: large?.id ?? "" } })
  })
  await measured("their folder deleted", () => client.folders.remove({ params }))
  await measured(`${notifications} notifications marked read`, () => client.notifications.markAllRead())
  for (const id of Object.keys(chats))
    await measured(`a chat of ${messages} messages deleted, ${id}`, () =>
      client.conversations.remove({ params: { id } }),
    )
  await measured(`trash of ${trashed} files emptied`, () => client.storage.emptyTrash())
  return results
}

async function writeDocuments(root: string, directory = "old", more = ""): Promise<void> {
  for (let number = 0; number < files; number++) {
    const parent = join(root, directory, `part-${Math.floor(number / filesPerDirectory)}`)
    if (number % filesPerDirectory === 0) await mkdir(parent, { recursive: true })
    await writeFile(join(parent, `note-${number}.md`), `# Note ${number}${more}\n\nThe heron stands still.\n`)
  }
  if (more !== "") return
  const lines = Array.from({ length: largeText.megabytes * 10_000 }, (_, line) =>
    `Line ${line} ${"of a long text ".repeat(6)}`.slice(0, 99),
  )
  await writeFile(join(root, largeText.name), lines.join("\n"))
}

/** Writes rows that would take long to create one by one. */
function fill(dataDir: string): void {
  const sqlite = new SqliteDatabase(databasePath(dataDir))
  const owner = sqlite.prepare("SELECT id FROM users").pluck().get()
  const notification = sqlite.prepare(
    `INSERT INTO notifications (id, userId, title, description, type, category, sender, read, seen, muted, silent, silentToast,
      createdAt, notifiedAt) VALUES (?, ?, 'Title', 'Text', 'info', 'general', '{}', 0, 0, 0, 0, 0, ?, ?)`,
  )
  const chat = sqlite.prepare(
    `INSERT INTO conversations (ownerId, id, title, foldedTitle, origin, vectorIds, messageCount, streamStatus, createdAt, updatedAt)
      VALUES (?, ?, '', '', 'API', '[]', 0, 'idle', ?, ?)`,
  )
  const message = sqlite.prepare(
    `INSERT INTO messages (id, ownerId, conversationId, parentId, depth, role, content, parts, finishReason, createdAt)
      VALUES (?, ?, ?, ?, ?, 'user', ?, '[]', 'stop', ?)`,
  )
  sqlite.transaction(() => {
    const now = new Date().toISOString()
    for (let id = 0; id < notifications; id++) notification.run(String(id), owner, now, now)
    for (const [id, textAt] of Object.entries(chats)) {
      chat.run(owner, id, now, now)
      for (let depth = 0; depth < messages; depth++) {
        const parent = depth > 0 ? `${id} ${depth - 1}` : null
        message.run(`${id} ${depth}`, owner, id, parent, depth, textAt(depth), now)
      }
    }
  })()
  sqlite.close()
}

async function fillTrash(dataDir: string): Promise<void> {
  const today = join(dataDir, "trash", new Date().toISOString().slice(0, 10))
  for (let id = 0; id < trashed; id++) {
    await mkdir(join(today, String(id)), { recursive: true })
    await writeFile(join(today, String(id), "note.md"), "text")
  }
}

/** A word of four to nine letters, chosen by its number. */
function getWord(number: number): string {
  const letters = "etaoinshrdlucmfwypvbgk"
  return Array.from({ length: 4 + (number % 6) }, (_, place) =>
    letters.charAt(Math.floor(number / 3 ** place + place * 5) % letters.length),
  ).join("")
}

if (import.meta.main) printResults(await run())
