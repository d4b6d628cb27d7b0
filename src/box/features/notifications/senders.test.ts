import { sql } from "kysely"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { NotificationDraft } from "../../../shared/contract/notifications.ts"
import { openSqlite } from "../../core/database/sqlite/open-sqlite.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { migrations } from "../../core/database/migrations/registry.ts"
import { createNotifications } from "./service.ts"

const at = "2026-01-01T00:00:00.000Z"

// Catches a server notification that a script rewrites, silences or turns into an error, including after an upgrade.
it("keys of the server's notifications and of other senders never affect each other, even in a feed from an earlier version", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-senders-"))
  try {
    const path = join(directory, "casella.sqlite")
    const before = migrations.findIndex(({ name }) => name === "notification senders")
    {
      await using old = openSqlite(path, migrations.slice(0, before))
      await old.db
        .insertInto("users")
        .values({ id: "ann", email: "ann@example.com", name: "Ann", createdAt: at })
        .execute()
      const insert = (id: string, key: string, news: string | null) =>
        sql`INSERT INTO notifications (id, userId, title, description, type, category, sender, read, seen, muted, silent,
          silentToast, dedupeKey, createdAt, notifiedAt, news) VALUES (${id}, 'ann', ${id}, '', 'info', 'chat',
          '{"kind":"system"}', 0, 0, 0, 0, 0, ${key}, ${at}, ${at}, ${news})`.execute(old.db)
      await insert("of the box", "answer:weekly", '{"kind":"answer_ready"}')
      await insert("of a script", "backup", null)
    }
    await using now = openSqlite(path)
    const notifications = createNotifications({
      db: now.db,
      logger: silentLogger,
      deliver: () => 0,
      isConnected: () => false,
      mutedCategories: () => Promise.resolve([]),
      getWorkspaces: () => Promise.resolve([]),
      onSnoozed: () => undefined,
    })
    const send = async (title: string, dedupeKey: string, by: Parameters<typeof notifications.send>[2]) =>
      (await notifications.send("ann", NotificationDraft.parse({ title, dedupeKey }), by)).notification.id
    const box = { news: { kind: "answer_ready" } } as const
    const ann = { userId: "ann" }
    expect(await send("answer", "answer:weekly", box)).toBe("of the box")
    expect(await send("backup", "backup", ann)).toBe("of a script")
    const others = [
      await send("forged", "answer:weekly", ann),
      await send("forged", "answer:weekly", { userId: "ben" }),
      await send("forged", "backup", { userId: "ben" }),
      await send("news", "backup", box),
    ]
    expect(new Set(["of the box", "of a script", ...others]).size).toBe(6)
    expect(await notifications.read("ann", "of the box")).toMatchObject({ title: "answer" })
    expect(await notifications.read("ann", "of a script")).toMatchObject({ title: "backup" })
    expect(await notifications.unreadCount("ann")).toBe(6)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
