import { expect, onTestFinished, test } from "vitest"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { QueueEntry } from "../../shared/contract/queue.ts"
import { openTestDatabase } from "../core/database/testing/test-database.ts"
import { createNameHider } from "./queued-names.ts"

// Catches the name of a deleted file in a queued question, and a question that is hidden although it names no deleted file.
test("hides a queued question as a whole if it names a file whose name isn't known any more", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-queued-"))
  onTestFinished(() => rm(directory, { recursive: true }))
  await using database = await openTestDatabase(join(directory, "casella.sqlite"))
  const uploads = [{ fileId: "1", name: "scan.pdf", size: 1, createdAt: "" }]
  const hideNames = createNameHider(database.db, () => Promise.resolve(uploads))
  const entry = (content: string, more: Partial<QueueEntry>) =>
    ({ content, fileIds: null, attachments: null, filter: null, ...more }) as QueueEntry
  const deleted = ["01890000-0000-7000-8000-000000000001"]
  const hidden = await hideNames("owner", "chat", [
    entry("Read dismissal.txt and scan.pdf.", { fileIds: deleted }),
    entry("Read dismissal.png.", { attachments: deleted }),
    entry("Read scan.pdf, as in scan.pdf.", { filter: { path: "dismissal/**" } }),
  ])
  expect(hidden.map(({ content }) => content)).toEqual([
    "{{file.name}}",
    "{{file.name}}",
    "Read {{file.name}}, as in {{file.name}}.",
  ])
  for (const shown of hidden) expect(shown).toMatchObject({ fileIds: null, attachments: null, filter: null })
})
