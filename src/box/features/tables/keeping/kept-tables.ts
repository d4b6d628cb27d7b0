import { rmdirSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { Id } from "../../../../shared/contract/primitives.ts"
import { readStored } from "../../../core/database/stored-json.ts"
import { MadeTable } from "../made-table.ts"

/** A table of a file, with what it is called. */
export const KeptTable = MadeTable.extend({ id: Id, name: z.string() })
export type KeptTable = z.infer<typeof KeptTable>

/** What was made of a file as it was once. */
const Kept = z.object({
  revision: z.int(),
  tables: z.array(KeptTable),
  /** Why it has none, where that isn't because there are none in it. */
  why: z.enum(["limits", "unreadable"]).optional(),
  /** Whether its password was known. */
  withPassword: z.boolean().optional(),
})
export type Kept = z.infer<typeof Kept>

/** Databases of more bytes than this, all together, are made anew when they are wanted. */
const usualBytes = 4 * 2 ** 30
/** No file is at this one. */
const noRevision = -1

export type KeptTables = ReturnType<typeof createKeptTables>

/**
 * What was made of files: in a directory for each folder, a database for each file that has tables, and a note that tells
 * them. The databases may go at any time. The notes are small and stay as long as their files, so that tables keep their names.
 */
export function createKeptTables(directory: string, mostBytes = usualBytes) {
  const notePath = (folderId: string, fileId: string) => join(directory, folderId, `${fileId}.json`)
  const databasePath = (folderId: string, fileId: string, revision: number) =>
    join(directory, folderId, `${fileId}.${revision}.sqlite`)

  async function remove(folderId: string, fileId: string, but?: number): Promise<void> {
    for (const name of await namesIn(join(directory, folderId)))
      if (name.startsWith(`${fileId}.`) && (but === undefined || !isOf(name, but)))
        await rm(join(directory, folderId, name), { force: true }).catch(() => undefined) // Windows: a query reads it
  }

  async function keep(folderId: string, fileId: string, kept: Kept): Promise<void> {
    const path = notePath(folderId, fileId)
    await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 })
    await rename(`${path}.new`, path)
    await remove(folderId, fileId, kept.revision)
  }

  return {
    databasePath,

    /** Of the file as it was when it was made last. */
    async find(folderId: string, fileId: string): Promise<Kept | undefined> {
      const note = await readFile(notePath(folderId, fileId), "utf8").catch(() => null)
      return note === null ? undefined : readStored(Kept, note)
    },

    /** Whether the database is there; that it was wanted keeps it longer than others. */
    async isThere(folderId: string, fileId: string, revision: number): Promise<boolean> {
      const path = databasePath(folderId, fileId, revision)
      const now = new Date()
      const info = await stat(path).catch(() => null)
      await utimes(path, now, now).catch(() => undefined)
      return info !== null && info.size > 0 // SQLite makes an empty one of what it doesn't find
    },

    /** Makes room for a database of the folder. */
    async prepare(folderId: string): Promise<void> {
      await mkdir(join(directory, folderId), { recursive: true, mode: 0o700 })
    },

    keep,
    remove,

    /** For a database that is gone, or can't be read, to be made again; its tables keep their names. */
    async outdate(folderId: string, fileId: string, kept: Kept): Promise<void> {
      await keep(folderId, fileId, { ...kept, revision: noRevision })
    },

    /** Databases that weren't wanted for longest go until the others are few enough. */
    async shrink(): Promise<void> {
      const found: { path: string; bytes: number; usedMs: number }[] = []
      for (const folderId of await namesIn(directory)) {
        for (const name of await namesIn(join(directory, folderId))) {
          const path = join(directory, folderId, name)
          const info = name.endsWith(".sqlite") ? await stat(path).catch(() => null) : null
          if (info) found.push({ path, bytes: info.size, usedMs: info.mtimeMs })
        }
      }
      let bytes = 0
      for (const each of found.toSorted((one, other) => other.usedMs - one.usedMs)) {
        bytes += each.bytes
        if (bytes > mostBytes) await rm(each.path, { force: true }).catch(() => undefined)
      }
    },

    /** Ids of folders and files of which there is anything. */
    async all(): Promise<{ folderId: string; fileId: string }[]> {
      const found: { folderId: string; fileId: string }[] = []
      for (const folderId of await namesIn(directory)) {
        const ids = new Set(
          (await namesIn(join(directory, folderId))).map((name) => name.split(".")[0] ?? ""),
        )
        for (const fileId of ids) found.push({ folderId, fileId })
      }
      return found
    },

    /** Directories of folders of which nothing is left; one that is used gets something any moment. */
    async removeEmpty(isUsed: (folderId: string) => boolean): Promise<void> {
      for (const folderId of await namesIn(directory)) {
        if (isUsed(folderId)) continue
        try {
          rmdirSync(join(directory, folderId)) // at once: it may be used by the next moment
        } catch {
          // something is in it
        }
      }
    },
  }
}

const namesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => [])

/** Of a file that is kept: its note, and the database of this revision. */
const isOf = (name: string, revision: number): boolean =>
  name.endsWith(".json") || name.endsWith(`.${revision}.sqlite`)
