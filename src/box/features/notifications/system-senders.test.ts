import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createEventBus, type EventBus } from "../../core/event-bus.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import type { BoxNews } from "../../../shared/contract/box-news.ts"
import type { ModelDownload } from "../../../shared/contract/models.ts"
import type { NotificationDraft } from "../../../shared/contract/notifications.ts"
import { createDownloadNews } from "../models/model-news.ts"
import type { IngestionBatch } from "./system-notifications.ts"
import {
  createSystemSenders,
  type NotificationSender,
  type SystemNotificationChange,
  type SystemSenders,
} from "./system-senders.ts"

let bus: EventBus
let senders: SystemSenders
let sent: { userId: string; draft: NotificationDraft; news: BoxNews }[]
let changed: ({ userId: string; dedupeKey: string } & SystemNotificationChange)[]
let onSent: () => void

beforeEach(() => {
  bus = createEventBus()
  sent = []
  changed = []
  onSent = () => {}
  const notifications: NotificationSender = {
    changeSystemNotification: (userId, dedupeKey, change) => {
      changed.push({ userId, dedupeKey, ...change })
      return Promise.resolve()
    },
    send: (userId, draft, { news }) => {
      sent.push({ userId, draft, news })
      onSent()
      return Promise.resolve()
    },
  }
  senders = createSystemSenders(notifications, bus, () => Promise.resolve(["alice"]), silentLogger)
})
afterEach(() => senders[Symbol.asyncDispose]())

const nextSent = () => new Promise<void>((resolve) => (onSent = resolve))

const batch: IngestionBatch = {
  folderId: "0198c0de-0000-7000-8000-000000000001",
  folderName: "Notes",
  ownerId: "alice",
  indexed: 12,
  failed: [],
  programFaults: 0,
  durationMs: 60_000,
}

describe("A batch of files", () => {
  test("that took long is reported with its folder's route, in one row per folder", async () => {
    await senders.ingested(batch)
    expect(sent).toEqual([
      {
        userId: "alice",
        news: { kind: "folder_indexed", folder: "Notes", files: 12 },
        draft: expect.objectContaining({
          title: "Notes is indexed",
          description: "12 files indexed.",
          type: "success",
          category: "backgroundTasks",
          deepLink: `/dc/vector/${batch.folderId}`,
          dedupeKey: `ingestion:${batch.folderId}`,
          silent: false,
          resurface: true,
        }),
      },
    ])
  })

  // Catches a popup or another unread row each time someone saves a file in a followed directory.
  test("that was short and had no failures makes no noise and is already read", async () => {
    await senders.ingested({ ...batch, indexed: 1, durationMs: 900 })
    expect(sent[0]?.draft).toMatchObject({
      description: "1 file indexed.",
      silent: true,
      read: true,
      resurface: false,
    })
  })

  test("with failures is reported as an error that names them, however short it was", async () => {
    await senders.ingested({ ...batch, failed: ["a.pdf", "b.pdf", "c.pdf", "d.pdf"], durationMs: 10 })
    expect(sent[0]?.news).toEqual({
      kind: "files_failed",
      folder: "Notes",
      failed: 4,
      names: ["a.pdf", "b.pdf", "c.pdf"],
      indexed: 12,
      programFaults: 0,
    })
    expect(sent[0]?.draft).toMatchObject({
      title: "4 files failed in Notes",
      description: "a.pdf, b.pdf, c.pdf and 1 more. 12 files indexed.",
      type: "error",
      deepLink: `/dc/vector/${batch.folderId}?tab=files&status=failed`,
      silent: false,
    })
  })

  // Catches names that make the server's own notification exceed the contract's limits.
  test("with the longest names stays within the limits", async () => {
    await senders.ingested({ ...batch, folderName: "F".repeat(300), failed: Array(9).fill("n".repeat(255)) })
    expect(sent[0]?.draft.title.length).toBeLessThanOrEqual(200)
  })
})

describe("An answer that ended unattended", () => {
  test("is reported with its chat", async () => {
    const notification = nextSent()
    bus.publish("answer.unattended", {
      writeNotified: () => Promise.resolve(),
      ownerId: "alice",
      chatId: "weekly",
      title: "What changed this week?",
      status: "completed",
    })
    await notification
    expect(sent).toEqual([
      {
        userId: "alice",
        news: { kind: "answer_ready" },
        draft: expect.objectContaining({
          title: "Your answer is ready",
          description: "What changed this week?",
          category: "chat",
          chatId: "weekly",
          dedupeKey: "answer:weekly",
        }),
      },
    ])
  })

  test("is reported as an error if it failed", async () => {
    const notification = nextSent()
    bus.publish("answer.unattended", {
      writeNotified: () => Promise.resolve(),
      ownerId: "alice",
      chatId: "weekly",
      title: "What changed this week?",
      status: "error",
    })
    await notification
    expect(sent[0]?.draft).toMatchObject({ title: "An answer failed", type: "error" })
  })
})

test("a requested approval is reported to the person it asks, with its chat", async () => {
  const notification = nextSent()
  bus.publish("approval.wanted", {
    ownerId: "alice",
    chatId: "c",
    toolCallId: "t1",
    toolName: "send-mail",
  })
  await notification
  expect(sent[0]).toMatchObject({
    userId: "alice",
    draft: { title: "May send-mail run?", chatId: "c", dedupeKey: "approval:c:t1", category: "chat" },
  })
})

// Catches a notification that stays unread, or keeps asking, after its call was decided. Also catches a notification that is changed before
// it was stored, and a call that expires without notice to its owner.
test.each([
  ["allowed", true, "Allowed"],
  ["denied", true, "Denied"],
  ["expired", false, "No one decided in time, so it didn't run."],
] as const)(
  "the notification of an approval that was %s is updated after it was sent",
  async (outcome, read, description) => {
    const call = { ownerId: "alice", chatId: "c", toolCallId: "t1", toolName: "send-mail" }
    bus.publish("approval.wanted", call)
    bus.publish("approval.decided", { ...call, outcome })
    const news = { kind: "approval_wanted", tool: "send-mail", toolCallId: "t1", outcome }
    await expect
      .poll(() => changed)
      .toEqual([{ userId: "alice", dedupeKey: "approval:c:t1", read, replacement: { news, description } }])
    expect(sent).toHaveLength(1)
  },
)

// Catches an Inbox that still counts an answer that was read in its chat.
test("an answer's notification is marked as read when the answer is read", async () => {
  const answer = { ownerId: "alice", chatId: "c", title: "Leave", status: "completed" as const }
  bus.publish("answer.unattended", { ...answer, writeNotified: () => Promise.resolve() })
  bus.publish("answer.read", { ownerId: "alice", chatId: "c" })
  await expect.poll(() => changed).toEqual([{ userId: "alice", dedupeKey: "answer:c", read: true }])
  expect(sent).toHaveLength(1)
})

// Catches a notification for each progress report, and members who are notified of things that only owners may change.
test("owners are notified once about each finished download", async () => {
  const news = createDownloadNews(
    bus,
    () => undefined,
    () => Promise.resolve([]),
    silentLogger,
  )
  const report = (status: ModelDownload["status"], error: string | null = null) =>
    news({ ...download, status, error })
  const failed = nextSent()
  report("downloading")
  report("failed", "The connection was cut.")
  await failed
  const done = nextSent()
  report("downloading")
  report("done")
  report("done")
  await done
  expect(sent.map(({ userId, draft }) => [userId, draft.title, draft.type, draft.dedupeKey])).toEqual([
    ["alice", "Couldn't download Small model", "error", "download:d1"],
    ["alice", "Small model is ready to use", "success", "download:d1"],
  ])
})

test("owners are notified once about a newer version", async () => {
  await senders.updateAvailable("9.9.9")
  expect(sent).toEqual([
    {
      userId: "alice",
      news: { kind: "update_available", version: "9.9.9" },
      draft: expect.objectContaining({
        title: "Casella 9.9.9 is available",
        category: "appUpdates",
        dedupeKey: "update:9.9.9",
        resurface: false,
      }),
    },
  ])
})

const download: ModelDownload = {
  id: "d1",
  name: "Small model",
  repo: "o/r",
  file: "m.gguf",
  revision: "main",
  status: "downloading",
  receivedBytes: 0,
  sizeBytes: null,
  bytesPerSecond: null,
  secondsLeft: null,
  interruption: null,
  checkedBy: null,
  error: null,
  modelId: null,
}
