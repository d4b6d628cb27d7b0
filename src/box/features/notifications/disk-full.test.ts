import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectApp } from "../../testing/clients.ts"
import { mountSmallDisk } from "../../testing/disk.ts"
import { startTestBox, type TestBox, getRows } from "../../testing/test-box.ts"

const disk = await mountSmallDisk("24m")
let box: TestBox

beforeAll(async () => {
  box = await startTestBox({ dataDir: join(disk.path, "data") })
})
afterAll(async () => {
  await box[Symbol.asyncDispose]()
  await disk[Symbol.asyncDispose]()
})

const send = (title: string, more: object = {}) =>
  fetch(`${box.url}/api/public/notifications`, {
    method: "POST",
    headers: { "x-api-key": box.key, "content-type": "application/json" },
    body: JSON.stringify({ title, description: "d".repeat(2000), ...more }),
  })

describe("On a full disk", { tags: "mount" }, () => {
  // Catches an acknowledged notification that isn't stored, a crash, and a server that stays broken afterwards.
  it("returns 202 for live delivery and 507 if no one is connected, and recovers when there is room", async () => {
    const kept = ["first", "with key"]
    expect((await send("first")).status).toBe(201)
    expect((await send("with key", { dedupeKey: "k" })).status).toBe(201)
    disk.fill()

    let refused: Response | undefined
    for (let index = 0; refused === undefined && index < 5_000; index++) {
      const answer = await send(`n${String(index)}`) // the write-ahead log may still have room inside
      if (answer.status === 201) kept.push(`n${String(index)}`)
      else refused = answer
    }
    expect(refused?.status).toBe(507)
    expect(await refused?.json()).toMatchObject({ code: "disk_full" })

    {
      using app = await connectApp(box.url, box.key)
      const answer = await send("live only")
      expect(answer.status).toBe(202)
      const body = (await answer.json()) as { notification: { id: string } }
      expect(body).toMatchObject({ delivered: true, persisted: false, notification: { title: "live only" } })
      expect((await app.next("notification")).notification.id).toBe(body.notification.id)
      const stored = await box.client.notifications.list({ query: { limit: 200 } })
      expect(stored.notifications.map(({ title }) => title)).not.toContain("live only")

      // A refresh that can't be stored is shown in place of its existing row.
      const known = stored.notifications.find(({ title }) => title === "with key")
      const refresh = await send("refreshed", { dedupeKey: "k" })
      expect(refresh.status).toBe(202)
      expect(await refresh.json()).toMatchObject({ notification: { id: known?.id } })
      expect((await send("absorbed", { dedupeKey: "k", resurface: false })).status).toBe(507)
      expect((await send("quiet", { silent: true })).status).toBe(507)
    }

    disk.makeRoom()
    const after = await send("after")
    expect(after.status).toBe(201)
    expect(await after.json()).toMatchObject({ persisted: true })
    kept.push("after")
    const listed: string[] = []
    for (let offset = 0; ; offset += 200) {
      const page = await box.client.notifications.list({ query: { limit: 200, offset } })
      listed.push(...page.notifications.map(({ title }) => title))
      if (!page.pagination.hasMore) break
    }
    expect(listed.toSorted()).toEqual(kept.toSorted())
    await box.restart()
    expect((await box.client.notifications.list()).pagination.total).toBe(kept.length)
    await using database = await getRows(box.dataDir)
    const counted = await database.db.selectFrom("notifications").select("id").execute()
    expect(counted).toHaveLength(kept.length)
  })
})
