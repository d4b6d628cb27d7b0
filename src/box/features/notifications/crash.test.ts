import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createClient } from "../../../shared/client/http-client.ts"
import { checkIntegrity } from "../../core/database/sqlite/open-sqlite.ts"
import { databasePath } from "../../start/open-data.ts"
import { startBoxProcess } from "../../testing/box-process.ts"

const rounds = 3
const senders = 8

// Catches an acknowledged notification that is missing or stored twice after the server was killed.
it("Acknowledged notifications are stored after kill -9 during sending", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "casella-crash-"))
  const acknowledged: string[] = []
  const marked: string[] = []
  let key = ""
  for (let round = 0; round < rounds; round++) {
    const box = await startBoxProcess(dataDir)
    key ||= box.firstRunKey ?? ""
    const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
    const enough = acknowledged.length + 20 + round * 17
    let killed: Promise<unknown> | undefined
    const sender = async (name: string) => {
      for (let index = 0; ; index++) {
        const { notification } = await client.notifications.send({
          body: { title: `${name}.${String(index)}`, metadata: { name, index } },
        })
        acknowledged.push(notification.title)
        if (index % 3 === 0) {
          await client.notifications.update({ params: { id: notification.id }, body: { read: true } })
          marked.push(notification.title)
        }
        if (acknowledged.length >= enough) killed ??= box.stop("SIGKILL")
      }
    }
    await Promise.allSettled(
      Array.from({ length: senders }, (_, index) => sender(`${String(round)}.${String(index)}`)),
    )
    await killed
    checkIntegrity(databasePath(dataDir))
  }

  const box = await startBoxProcess(dataDir)
  const client = createClient({ baseUrl: box.url, headers: { "x-api-key": key } })
  const stored: { title: string; read: boolean }[] = []
  for (let offset = 0; ; offset += 200) {
    const page = await client.notifications.list({ query: { limit: 200, offset } })
    stored.push(...page.notifications)
    if (!page.pagination.hasMore) break
  }
  const titles = new Set(stored.map(({ title }) => title))
  expect(titles.size).toBe(stored.length)
  expect(acknowledged.filter((title) => !titles.has(title))).toEqual([])
  const read = new Set(stored.filter((entry) => entry.read).map(({ title }) => title))
  expect(marked.filter((title) => !read.has(title))).toEqual([])
  expect(await client.notifications.unreadCount()).toEqual({ count: stored.length - read.size })
  await box.stop()
  await rm(dataDir, { recursive: true, force: true })
})
