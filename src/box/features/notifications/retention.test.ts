import { afterEach, beforeEach, expect, it } from "vitest"
import { NotificationDraft } from "../../../shared/contract/notifications.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { startFolderServer, type FolderServer } from "../../testing/folder-server.ts"
import { createNotifications } from "./service.ts"

let server: FolderServer
beforeEach(async () => {
  server = await startFolderServer()
})
afterEach(() => server[Symbol.asyncDispose]())

// Would catch: a feed that grows without end, or one that forgets what nobody has read yet.
it("A feed that is too long loses the oldest that were read, and unread ones only after them", async () => {
  const notifications = createNotifications({
    db: server.db,
    logger: silentLogger,
    deliver: () => 0,
    isConnected: () => false,
    mutedCategories: () => Promise.resolve([]),
    workspacesOf: () => Promise.resolve([]),
    putOff: () => undefined,
    mostKept: 150,
  })
  const send = (title: string, read: boolean) =>
    notifications.send("alice", NotificationDraft.parse({ title, read }), { userId: "alice" })
  for (let index = 0; index < 100; index++) await send(`unread ${index}`, false)
  for (let index = 0; index < 100; index++) await send(`read ${index}`, true)
  const first = await notifications.list("alice", { limit: 200, offset: 0 }, {})
  expect(first.pagination.total).toBe(150)
  expect(first.unreadCount).toBe(100)
  expect(first.notifications[49]?.title).toBe("read 50")
  for (let index = 100; index < 300; index++) await send(`unread ${index}`, false)
  const second = await notifications.list("alice", { limit: 200, offset: 0 }, {})
  expect(second.pagination.total).toBe(150)
  expect(second.notifications.at(-1)?.title).toBe("unread 150")
})
