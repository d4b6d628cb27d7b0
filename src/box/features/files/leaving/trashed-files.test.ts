import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { dropTestDatabase, openTestDatabase } from "../../../core/database/testing/test-database.ts"
import { timestamp } from "../../../core/ids.ts"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import { addStoredFolder } from "../../../testing/test-database.ts"
import { createFreshFiles } from "../receive-files.ts"
import { endTrashed, createTrashedFiles, type TrashedFilesDeps } from "./trashed-files.ts"
import { createFileStore } from "../store.ts"

// Catches a file reported as restored whose object is deleted because someone emptied the trash at that moment.
test("doesn't restore a file that was permanently removed from the trash in the meantime", async () => {
  const directory = await mkdtemp(join(tmpdir(), "casella-trashed-"))
  const path = join(directory, "casella.sqlite")
  {
    await using database = await openTestDatabase(path)
    const { db } = database
    await addStoredFolder(db, "folders/folder")
    const { userId } = await db.selectFrom("folders").select("ownerId as userId").executeTakeFirstOrThrow()
    const location = { id: "trashed", userId, folderId: "folder", subFolder: "", name: "a.txt" }
    const bytes = { size: 1, deletedAt: timestamp(), object: "object", modifiedMs: 1 }
    await db
      .insertInto("trashedFiles")
      .values({ ...location, ...bytes })
      .execute()
    const files = createFileStore(db)
    const store = {
      insert: (...rows: Parameters<typeof files.insert>) => files.insert(...rows),
      async isTaken(...names: Parameters<typeof files.isTaken>) {
        await endTrashed(db, ["trashed"])
        return files.isTaken(...names)
      },
    }
    const trashed = createTrashedFiles({
      db,
      store,
      storeFresh: createFreshFiles({} as never, store),
      access: {
        changeable: () => Promise.resolve({ managed: true }),
      } as unknown as TrashedFilesDeps["access"],
      trash: {} as never,
      lock: createKeyedLock(),
      objectsEnded: () => undefined,
      changes: { changed: () => undefined },
    })
    await expect(trashed.putBack(userId, "trashed")).rejects.toMatchObject({ code: "not_found" })
    expect(await db.selectFrom("files").selectAll().execute()).toEqual([])
  }
  await dropTestDatabase(path)
  await rm(directory, { recursive: true })
})
