import { statSync } from "node:fs"
import { expect, it } from "vitest"
import { openSqlite } from "../../core/database/sqlite/open-sqlite.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { databasePath } from "../../start/open-data.ts"
import { startTestBox } from "../../testing/test-box.ts"
import { createSpaceReclaimer } from "./database-upkeep.ts"

// Catches space that is freed only when the server stops, and deleted text that stays in the log while it runs.
it("frees space and empties the log while the server runs", async () => {
  await using box = await startTestBox()
  const path = databasePath(box.dataDir)
  await using database = openSqlite(path)
  const rows = Array.from({ length: 200 }, (_, key) => ({
    key: `big${key}`,
    value: JSON.stringify("deleted text ".repeat(8_000)),
  }))
  for (const row of rows) await database.db.insertInto("settings").values(row).execute()
  await database.db.deleteFrom("settings").where("key", "like", "big%").execute()
  await using reclaimer = createSpaceReclaimer({
    dataDir: box.dataDir,
    database,
    logger: silentLogger,
    everyMs: 10,
  })
  reclaimer.start()
  await expect.poll(() => statSync(path).size / 2 ** 20).toBeLessThan(6)
  await expect.poll(() => statSync(`${path}-wal`).size).toBe(0)
  expect(await box.client.account.health()).toMatchObject({ status: "ok" })
})
