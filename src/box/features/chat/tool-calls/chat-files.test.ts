import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startTestObjectStore } from "../../../../shared/testing/test-object-store.ts"
import { timestamp } from "../../../core/ids.ts"
import { silentLogger } from "../../../core/logging/logger.ts"
import { createObjectFiles } from "../../../core/objects/object-files.ts"
import { openObjectCache } from "../../../core/objects/object-cache.ts"
import { openS3 } from "../../../core/objects/s3-store.ts"
import type { Outbound } from "../../../core/outbound/outbound.ts"
import { getRows, startTestBox } from "../../../testing/test-box.ts"
import { startToolTalk, testTool } from "../testing/tool-talk.ts"
import { createChatFiles } from "./chat-files.ts"

// Catches files of deleted chats that stay when the box is killed in between, and a clean-up that deletes too much.
test("deletes only files without a chat at start", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-chat-files-"))
  const tool = testTool("calculate", () => ({ content: "" }))
  await using talk = await startToolTalk(() => ({ text: "." }), { tools: [tool] })
  await talk.ask("Hi.")
  const files = createChatFiles(talk.server.database.db, directory)
  const file = { type: "file" as const, name: "a.txt", mediaType: "not a type", bytes: Buffer.from("a") }
  const kept = await files.keep("alice", "c1", "call", file)
  expect(kept).toMatchObject({ name: "a.txt", mediaType: "application/octet-stream", size: 1 })
  await expect(files.keep("alice", "no such chat", "call", file)).rejects.toThrow()
  await mkdir(join(directory, "chat-files", "abandoned"))
  await files.removeAbandoned()
  expect(await readdir(join(directory, "chat-files"))).toHaveLength(1)
  const opened = await files.open("alice", "c1", kept.type === "file" ? kept.fileId : "")
  expect(await opened.handle.readFile("utf8")).toBe("a")
  await opened.handle.close()
  await rm(directory, { recursive: true })
})

// Catches chat files that stay on one computer, are lost with the chat they were copied from, or outlive the last chat that has them.
test("stores files as objects if there is an object store, and deletes each with the last chat that has it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-chat-files-"))
  await using store = await startTestObjectStore()
  await using box = await startTestBox({ files: store.at("chats") })
  await using rows = await getRows(box.dataDir)
  const { db } = rows
  const outbound = { fetch: (address: string | URL, init: object) => fetch(address, init) }
  const opened = openS3(store.at("chats"), outbound as unknown as Outbound)
  using cache = await openObjectCache({ directory, store: opened, maxBytes: 0 })
  const objects = createObjectFiles({ db, store: opened, cache, logger: silentLogger })
  const files = createChatFiles(db, directory, objects)
  const { id: ownerId } = await db.selectFrom("users").select("id").executeTakeFirstOrThrow()
  const now = timestamp()
  for (const id of ["first", "second"])
    await db
      .insertInto("conversations")
      .values({
        id,
        ownerId,
        title: "T",
        foldedTitle: "t",
        origin: "APP",
        vectorIds: "[]",
        messageCount: 0,
        streamStatus: "completed",
        createdAt: now,
        updatedAt: now,
      })
      .execute()
  const made = { type: "file" as const, name: "a.txt", mediaType: "text/plain", bytes: Buffer.from("made") }
  const kept = await files.keep(ownerId, "first", "call", made)
  const fileId = kept.type === "file" ? kept.fileId : ""
  const [copied] = await files.copy(ownerId, "first", "second", [fileId])
  if (copied) await db.insertInto("chatFiles").values(copied.row).execute()
  await db.deleteFrom("chatFiles").where("id", "=", fileId).execute()
  await box.restart()
  const sent = await files.open(ownerId, "second", copied?.row.id ?? "")
  expect(await sent.handle.readFile("utf8")).toBe("made")
  await sent.handle.close()
  const count = () => [...store.objects.keys()].length
  expect(count()).toBe(2) // including casella.json
  await db.deleteFrom("chatFiles").execute()
  await box.restart()
  await expect.poll(count).toBe(1)
  await rm(directory, { recursive: true })
})
