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

// Catches a feed that grows without limit, or that deletes unread notifications.
it("A feed that is too long loses the oldest read notifications first, and unread ones only after them", async () => {
  const notifications = createNotifications({
    db: server.db,
    logger: silentLogger,
    deliver: () => 0,
    isConnected: () => false,
    mutedCategories: () => Promise.resolve([]),
    getWorkspaces: () => Promise.resolve([]),
    onSnoozed: () => undefined,
    maxKept: 150,
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

// Catches a sender who fills a colleague's feed until other people's notifications are deleted.
it("A feed that is too long loses notifications from the sender with the most", async () => {
  const notifications = createNotifications({
    db: server.db,
    logger: silentLogger,
    deliver: () => 0,
    isConnected: () => false,
    mutedCategories: () => Promise.resolve([]),
    getWorkspaces: () => Promise.resolve([]),
    onSnoozed: () => undefined,
    maxKept: 150,
  })
  const by = {
    own: { userId: "alice" },
    colleague: { userId: "bob" },
    box: { news: { kind: "answer_ready" } },
  } as const
  const send = (title: keyof typeof by, read = false) =>
    notifications.send("alice", NotificationDraft.parse({ title, read }), by[title])
  for (const title of ["box", "own"] as const)
    for (let index = 0; index < 20; index++) await send(title, index < 10)
  for (let index = 0; index < 600; index++) await send("colleague")
  const { notifications: kept } = await notifications.list("alice", { limit: 200, offset: 0 }, {})
  const amounts = Object.entries(by).map(([title]) => [
    title,
    kept.filter((one) => one.title === title).length,
  ])
  expect(Object.fromEntries(amounts)).toEqual({ own: 20, box: 20, colleague: 110 + 40 })
})
