import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import SqliteDatabase from "better-sqlite3"
import { newId } from "../src/box/core/ids.ts"
import { foldCase } from "../src/box/core/database/sql-helpers.ts"
import { databasePath } from "../src/box/start/open-data.ts"
import { createClient, type Client } from "../src/shared/client/http-client.ts"
import { endProcess, processorMs, residentMb, startBuiltBox } from "./processes.ts"

/** Contents of a lightly used box. */
const usual = { chats: 200, files: 500, notifications: 500, folders: 5 }
const messagesPerChat = 6
const filesPerDirectory = 250

const words = (
  "harbour ledger window copper signal garden motion paper village winter engine market stone bridge letter " +
  "river season camera bottle forest sailor mirror ticket corner silver ribbon meadow lantern pocket thunder"
).split(" ")

/** Repeatable text of `length` words: the same seed gives the same text. */
export function getText(seed: number, length: number): string {
  let state = seed + 1
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return `${words[state % words.length] ?? ""}${state % 7 === 0 ? String(state % 10_000) : ""}`
  }).join(" ")
}

/** A built box in a separate process, and its resource use (Linux). */
export interface GrownBox {
  client: Client
  url: string
  key: string
  /** Time from the start to the ready line, as wall time and processor time, in ms. */
  readyMs: number
  readyProcessorMs: number
  /** Processor time so far of all threads that still run, in ms. */
  processorMs(): number
  residentMb(): number
  /** Settles when the box has used less than 2 % of a processor for two seconds. Returns the processor time since its start, in ms. */
  rest(): Promise<number>
  stop(): Promise<void>
}

export async function startBuilt(dataDir: string, knownKey = ""): Promise<GrownBox> {
  const started = await startBuiltBox(dataDir)
  const spent = () => processorMs(started.pid)
  const readyProcessorMs = spent()
  const { url = "", firstRunKey: key = knownKey } = started.ready
  return {
    client: createClient({ baseUrl: url, headers: { "x-api-key": key } }),
    url,
    key,
    readyMs: started.startMs,
    readyProcessorMs,
    processorMs: spent,
    residentMb: () => residentMb(started.pid),
    async rest() {
      for (let [before, calm] = [spent(), 0]; calm < 2;) {
        await pause(1_000)
        const now = spent()
        calm = now - before < 20 ? calm + 1 : 0
        before = now
      }
      return spent()
    },
    stop: () => endProcess(started),
  }
}

/**
 * Fills a new data directory with `times` the contents of a lightly used box. The box itself adds the files; chats and notifications are
 * written as rows. Half of the files are in one folder. Returns an API key.
 */
export async function makeGrown(dataDir: string, times: number): Promise<string> {
  const files = usual.files * times
  const first = await startBuilt(dataDir)
  const places: string[] = []
  for (let index = 0; index < usual.folders * times; index++) {
    const { vector } = await first.client.folders.create({ body: { name: `Folder ${getText(index, 2)}` } })
    places.push(vector.folder)
  }
  await first.stop()
  for (let number = 0; number < files; number++) {
    const place = number % 2 === 0 ? places[0] : places[1 + (((number - 1) / 2) % (places.length - 1))]
    const directory = join(place ?? "", `part-${String(Math.floor(number / filesPerDirectory))}`)
    await mkdir(directory, { recursive: true })
    const name = `${getText(number, 2).replaceAll(" ", "-")}-${String(number)}.md`
    await writeFile(join(directory, name), `# Note ${String(number)}\n\n${getText(number, 100)}\n`)
  }
  fillRows(dataDir, times)
  const box = await startBuilt(dataDir, first.key)
  for (;;) {
    const { vectors } = await box.client.folders.list()
    const settled = vectors.reduce((sum, { fileCount, pendingCount }) => sum + fileCount - pendingCount, 0)
    if (settled === files) break
    await pause(500)
  }
  await box.rest()
  await box.stop()
  return first.key
}

function fillRows(dataDir: string, times: number): void {
  const sqlite = new SqliteDatabase(databasePath(dataDir))
  const owner = sqlite.prepare("SELECT id FROM users").pluck().get()
  const at = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString()
  const notification = sqlite.prepare(
    `INSERT INTO notifications (id, userId, title, description, type, category, sender, read, seen, muted, silent, silentToast,
      createdAt, notifiedAt) VALUES (?, ?, ?, ?, 'info', 'system', '{"kind":"system","name":"Script"}', ?, 0, 0, 0, 0, ?, ?)`,
  )
  const chat = sqlite.prepare(
    `INSERT INTO conversations (ownerId, id, title, foldedTitle, origin, vectorIds, headId, messageCount, streamStatus, createdAt,
      updatedAt) VALUES (?, ?, ?, ?, 'APP', '[]', ?, ${String(messagesPerChat)}, 'completed', ?, ?)`,
  )
  const message = sqlite.prepare(
    `INSERT INTO messages (id, ownerId, conversationId, parentId, depth, role, content, parts, finishReason, createdAt)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'stop', ?)`,
  )
  sqlite.transaction(() => {
    for (let id = 0; id < usual.notifications * times; id++)
      notification.run(newId(), owner, getText(id, 4), getText(id, 12), id % 3 === 0 ? 0 : 1, at(id), at(id))
    for (let number = 0; number < usual.chats * times; number++) {
      const id = `chat-${String(number)}`
      const title = getText(number, 6)
      chat.run(
        owner,
        id,
        title,
        foldCase(title),
        `${id}-${String(messagesPerChat - 1)}`,
        at(number),
        at(number),
      )
      for (let depth = 0; depth < messagesPerChat; depth++) {
        const text = getText(number * messagesPerChat + depth, 40)
        const parent = depth === 0 ? null : `${id}-${String(depth - 1)}`
        const role = depth % 2 === 0 ? "user" : "assistant"
        const parts = JSON.stringify([{ type: "text", text }])
        message.run(`${id}-${String(depth)}`, owner, id, parent, depth, role, text, parts, at(number))
      }
    }
  })()
  sqlite.close()
}
