import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { openSqlite } from "../../../core/database/sqlite/open-sqlite.ts"
import { migrations } from "../../../core/database/migrations/registry.ts"
import { nameOrder } from "../file-entry.ts"
import { FileQueries } from "./file-queries.ts"

const at = "2026-01-01T00:00:00.000Z"
const inOrder = [
  "2019-9 bill.pdf",
  "2019-10 bill.pdf",
  "annex 1.pdf",
  "Annex 02 of 3.pdf",
  "annex 2 of 12.pdf",
  "Annex 10.pdf",
  "annex 90071992547409931.pdf",
  "annex 90071992547409932.pdf",
  "Annex.pdf",
  "bill.pdf",
  "scan0.png",
  "scan1.png",
  "Über uns.md",
]

// Catches capitals sorted before all other names, "10" sorted before "2", and existing files sorted differently from new ones.
test("files are sorted by name in natural number order, including files from an earlier version", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-names-"))
  try {
    const path = join(directory, "casella.sqlite")
    const before = migrations.findIndex(({ name }) => name === "order of names")
    {
      await using old = openSqlite(path, migrations.slice(0, before))
      await sql`INSERT INTO users (id, email, name, createdAt) VALUES ('ann', 'ann@x.y', 'Ann', ${at})`.execute(
        old.db,
      )
      await sql`INSERT INTO folders (id, ownerId, name, description, path, managed, topK, filter, strategy, pipeline,
        visibility, paused, createdAt, updatedAt)
        VALUES ('f', 'ann', 'F', '', '/f', 1, 5, 0, 'hybrid', 'full', 'PRIVATE', 0, ${at}, ${at})`.execute(
        old.db,
      )
      for (const [index, name] of inOrder.toReversed().entries())
        await sql`INSERT INTO files (id, folderId, name, subFolder, searchName, size, modifiedMs, identity, mimeType,
          storage, status, phase, progress, attempts, revision, priority, createdAt, updatedAt)
          VALUES (${`id${index + 10}`}, 'f', ${name}, '', ${name.normalize("NFC").toLowerCase()}, 1, 1, ${name}, '', 'local',
          'completed', 'done', 100, 1, 1, 0, ${at}, ${at})`.execute(old.db)
    }
    await using now = openSqlite(path)
    const files = await now.db.selectFrom("files").select(["name", "nameOrder"]).execute()
    expect(files.map((file) => file.nameOrder)).toEqual(files.map(({ name }) => nameOrder(name)))
    const page = await new FileQueries(now.db).page("f", { sort: "name", limit: 100, offset: 0 })
    expect(page.rows.map(({ name }) => name)).toEqual(inOrder)
    const plan = await sql<{ detail: string }>`EXPLAIN QUERY PLAN SELECT id FROM files WHERE folderId = 'f'
      ORDER BY nameOrder, id LIMIT 200`.execute(now.db)
    expect(plan.rows.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("COVERING INDEX filesByName"),
    ])
  } finally {
    await rm(directory, { recursive: true })
  }
})
