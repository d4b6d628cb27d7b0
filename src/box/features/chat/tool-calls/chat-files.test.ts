import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startToolTalk, testTool } from "../testing/tool-talk.ts"
import { createChatFiles } from "./chat-files.ts"

// Catches files of deleted chats that stay when the box is killed in between, and a tidying up that takes too much.
test("what belongs to no conversation is deleted at the start, and nothing else", async () => {
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
