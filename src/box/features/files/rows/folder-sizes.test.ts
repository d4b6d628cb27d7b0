import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { migrations } from "../../../core/database/migrations/registry.ts"
import { openSqlite } from "../../../core/database/sqlite/open-sqlite.ts"

const at = "2026-01-01T00:00:00.000Z"

// Catches totals that start wrong for existing files, or that become wrong when a row moves to another folder, changes size or is deleted.
test("totals of file sizes match the files, with existing rows and after each kind of change", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-sizes-"))
  try {
    const path = join(directory, "casella.sqlite")
    const before = migrations.findIndex(({ name }) => name === "quotas")
    {
      await using old = openSqlite(path, migrations.slice(0, before))
      await sql`INSERT INTO users (id, email, name, createdAt) VALUES ('u', 'u@x.y', 'U', ${at})`.execute(
        old.db,
      )
      for (const id of ["f", "g", "empty"])
        await sql`INSERT INTO folders (id, ownerId, name, description, path, managed, topK, filter, strategy, pipeline,
          visibility, paused, createdAt, updatedAt)
          VALUES (${id}, 'u', ${id}, '', ${`/${id}`}, 1, 5, 0, 'hybrid', 'full', 'PRIVATE', 0, ${at}, ${at})`.execute(
          old.db,
        )
      for (const [index, size] of [5, 70, 900].entries())
        await insert(old.db, `id${index}`, index === 2 ? "g" : "f", size)
    }
    await using now = openSqlite(path)
    const sums = async () =>
      (
        await sql<{
          id: string
          bytes: number
        }>`SELECT folderId AS id, bytes FROM folderSizes WHERE bytes <> 0
        ORDER BY id`.execute(now.db)
      ).rows
    const counted = async () =>
      (
        await sql<{
          id: string
          bytes: number
        }>`SELECT folderId AS id, sum(size) AS bytes FROM files GROUP BY folderId
        ORDER BY id`.execute(now.db)
      ).rows
    expect(await sums()).toEqual([
      { id: "f", bytes: 75 },
      { id: "g", bytes: 900 },
    ])
    for (const change of [
      () => insert(now.db, "new", "empty", 12),
      () => sql`UPDATE files SET size = 8 WHERE id = 'id1'`.execute(now.db),
      () => sql`UPDATE files SET folderId = 'g', size = 9 WHERE id = 'id0'`.execute(now.db),
      () => sql`UPDATE files SET status = 'failed' WHERE id = 'id0'`.execute(now.db),
      () => sql`DELETE FROM files WHERE folderId = 'g'`.execute(now.db),
      () => insert(now.db, "id0", "g", 9),
      () => sql`DELETE FROM folders WHERE id = 'f'`.execute(now.db),
    ]) {
      await change()
      expect(await sums()).toEqual(await counted())
    }
  } finally {
    await rm(directory, { recursive: true })
  }
})

const insert = (
  db: Parameters<ReturnType<typeof sql>["execute"]>[0],
  id: string,
  folder: string,
  size: number,
) =>
  sql`INSERT INTO files (id, folderId, name, subFolder, searchName, size, modifiedMs, identity, mimeType, storage,
    status, phase, progress, attempts, revision, priority, createdAt, updatedAt)
    VALUES (${id}, ${folder}, ${id}, '', ${id}, ${size}, 1, ${id}, '', 'local', 'completed', 'done', 100, 1, 1, 0,
    ${at}, ${at})`.execute(db)
