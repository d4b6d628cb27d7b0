import { openTestDatabase } from "../../../core/database/testing/test-database.ts"
import type { OpenDatabase } from "../../../core/database/database.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { Database } from "../../../core/database/database.ts"
import { newId, timestamp } from "../../../core/ids.ts"
import { newFileRow } from "../file-entry.ts"
import { createNameSearch } from "./name-search.ts"
import { createFileStore } from "../store.ts"

let directory: string
let opened: OpenDatabase
let db: Database
let folderId: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "casella-names-"))
  opened = await openTestDatabase(join(directory, "casella.sqlite"))
  db = opened.db
  await db
    .insertInto("users")
    .values({ id: "alice", email: "alice@example.com", name: "Alice", createdAt: timestamp() })
    .execute()
  folderId = await addFolder()
})
afterEach(async () => {
  await opened[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

async function addFolder(): Promise<string> {
  const id = newId()
  const row = { id, ownerId: "alice", name: id, description: "", path: `/${id}`, managed: 1, device: null }
  const settings = {
    topK: 8,
    filter: 0,
    strategy: "hybrid",
    pipeline: "full",
    visibility: "PRIVATE",
  } as const
  const appearance = { iconName: null, accentColor: null, paused: 0, removed: 0, chatId: null }
  await db
    .insertInto("folders")
    .values({ ...row, ...settings, ...appearance, createdAt: timestamp(), updatedAt: timestamp() })
    .execute()
  return id
}

const add = async (names: string[], folder = folderId) => {
  const rows = names.map((path) =>
    newFileRow(
      folder,
      { path, size: 1, modifiedMs: 1, identity: path, changedMs: null, storage: "local" },
      0,
    ),
  )
  await createFileStore(db).insert(rows)
  return rows.map(({ id }) => id)
}
const find = async (...words: string[]) =>
  (
    await createNameSearch(db)(
      words.map((word) => [word]),
      [folderId],
    )
  )
    .map(({ name }) => name)
    .toSorted()

// Catches a name index that misses parts of words, accents, other scripts or short words, or that searches other folders.
test("finds files by parts of their names, in any case and script", async () => {
  await add(["Rechnung_2023-04.pdf", "INVOICE Rossi.pdf", "Straßenplan Köln.txt", "付款合同.docx", "Q3.xlsx"])
  await add(["Invoice of others.pdf"], await addFolder())
  expect(await find("invoice")).toEqual(["INVOICE Rossi.pdf"])
  expect(await find("2023", "rossi")).toEqual(["INVOICE Rossi.pdf", "Rechnung_2023-04.pdf"])
  expect(await find("koln")).toEqual(["Straßenplan Köln.txt"])
  expect(await find("straßenplan")).toEqual(["Straßenplan Köln.txt"])
  expect(await find("合同")).toEqual(["付款合同.docx"])
  expect(await find("q3")).toEqual(["Q3.xlsx"])
  expect(await find("walrus")).toEqual([])
  expect(await find('a" OR "b')).toEqual([])
  expect(await find()).toEqual([])
})

// Catches a name that is still found after it was changed or its file or folder was deleted.
test("follows changes of names", { tags: "rows-in-file" }, async () => {
  const [id = ""] = await add(["draft.txt", "other.txt"])
  const store = createFileStore(db)
  const from = await store.find(folderId, id)
  if (!from) throw new Error("It isn't there.")
  await store.change([{ from, to: { name: "final.txt", searchName: "final.txt" }, newContent: false }])
  expect(await find("draft")).toEqual([])
  expect(await find("final")).toEqual(["final.txt"])
  await store.remove([id])
  expect(await find("final")).toEqual([])
  await db.deleteFrom("folders").where("id", "=", folderId).execute()
  expect(await db.selectFrom("namedFiles").selectAll().execute()).toEqual([])
})

// Catches a rare word that is lost among names that contain a common one, and common words that find nothing.
test("matches the rare word among many names, or all common words together", async () => {
  await add(
    Array.from({ length: 1_200 }, (_, index) => `scan ${index % 2 === 0 ? "even" : "uneven"} ${index}.pdf`),
  )
  await add(["scan even rossi.pdf"])
  expect(await find("scan", "even", "rossi", "walrus")).toEqual(["scan even rossi.pdf"])
  const both = await find("scan", "uneven")
  expect(both.length).toBeGreaterThan(100)
  expect(both.every((name) => name.includes("uneven"))).toBe(true)
})
