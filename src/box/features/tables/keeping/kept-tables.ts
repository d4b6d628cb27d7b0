import { rmdirSync } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { Id } from "../../../../shared/contract/primitives.ts"
import { TableColumn } from "../../../../shared/contract/tables.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"

/** A table in the database created from a document. */
export const MadeTable = z.object({
  /** Its name in the database. */
  key: z.string().max(20),
  sheet: z.string().nullable(),
  rows: z.int().min(0),
  columns: z.array(TableColumn),
})
export type MadeTable = z.infer<typeof MadeTable>

/** A table of a file, with its id and name. */
export const NamedTable = MadeTable.extend({ id: Id, name: z.string() })
export type NamedTable = z.infer<typeof NamedTable>

/** Tables created from one revision of a file. */
const StoredFileTables = z.object({
  revision: z.int(),
  tables: z.array(NamedTable),
  /** Why it has no tables, unless the file contains none. */
  why: z.enum(["limits", "unreadable"]).optional(),
  /** Whether the file's password was known. */
  withPassword: z.boolean().optional(),
})
export type StoredFileTables = z.infer<typeof StoredFileTables>

/** Maximum total size of all databases, in bytes. Databases beyond it are removed and created again on demand. */
const usualBytes = 4 * 2 ** 30
/** A revision that no file has. */
const noRevision = -1

export type TableDatabases = ReturnType<typeof createTableDatabases>

/**
 * Stores tables of files in one directory per folder: a database for each file with tables, and a note that describes them. Databases may
 * be deleted at any time. Notes are small and last as long as their files, so that tables keep their names.
 */
export function createTableDatabases(directory: string, maxBytes = usualBytes) {
  const notePath = (folderId: string, fileId: string) => join(directory, folderId, `${fileId}.json`)
  const databasePath = (folderId: string, fileId: string, revision: number) =>
    join(directory, folderId, `${fileId}.${revision}.sqlite`)

  async function remove(folderId: string, fileId: string, but?: number): Promise<void> {
    for (const name of await namesIn(join(directory, folderId)))
      if (name.startsWith(`${fileId}.`) && (but === undefined || !isOf(name, but)))
        await rm(join(directory, folderId, name), { force: true }).catch(() => undefined) // Fails on Windows while a query reads the file.
  }

  async function keep(folderId: string, fileId: string, kept: StoredFileTables): Promise<void> {
    const path = notePath(folderId, fileId)
    await writeFile(`${path}.new`, JSON.stringify(kept), { mode: 0o600 })
    await rename(`${path}.new`, path)
    await remove(folderId, fileId, kept.revision)
  }

  return {
    databasePath,

    /** Returns the record of the file's last processed revision. */
    async find(folderId: string, fileId: string): Promise<StoredFileTables | undefined> {
      const note = await readFile(notePath(folderId, fileId), "utf8").catch(() => null)
      return note === null ? undefined : readStored(StoredFileTables, note)
    },

    /** Whether the database exists. Also marks it as recently used, so that it is removed later than others. */
    async hasDatabase(folderId: string, fileId: string, revision: number): Promise<boolean> {
      const path = databasePath(folderId, fileId, revision)
      const now = new Date()
      const info = await stat(path).catch(() => null)
      await utimes(path, now, now).catch(() => undefined)
      return info !== null && info.size > 0 // SQLite creates an empty file when it doesn't find one.
    },

    /** Creates the directory for the folder's databases. */
    async prepare(folderId: string): Promise<void> {
      await mkdir(join(directory, folderId), { recursive: true, mode: 0o700 })
    },

    keep,
    remove,

    /** Marks a missing or unreadable database as outdated so that it is created again. Its tables keep their names. */
    async outdate(folderId: string, fileId: string, kept: StoredFileTables): Promise<void> {
      await keep(folderId, fileId, { ...kept, revision: noRevision })
    },

    /** Removes the least recently used databases until the total size is within the limit. */
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
        if (bytes > maxBytes) await rm(each.path, { force: true }).catch(() => undefined)
      }
    },

    /** Returns the folder and file ids of everything stored. */
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

    /** Removes empty folder directories, except those in use, which may receive a file at any moment. */
    async removeEmpty(isUsed: (folderId: string) => boolean): Promise<void> {
      for (const folderId of await namesIn(directory)) {
        if (isUsed(folderId)) continue
        try {
          rmdirSync(join(directory, folderId)) // Synchronous, because another request may start using the directory.
        } catch {
          // The directory isn't empty.
        }
      }
    },
  }
}

const namesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => [])

/** Whether a file name is a note or the database of this revision. */
const isOf = (name: string, revision: number): boolean =>
  name.endsWith(".json") || name.endsWith(`.${revision}.sqlite`)

const maxNameLength = 60

/** Words that SQLite reserves wherever a table name may appear. */
const reserved = new Set(
  (
    "add all alter and as autoincrement between case check collate commit constraint create cross current_date current_time " +
    "current_timestamp default deferrable delete distinct drop else escape except exists foreign from full group having in index " +
    "indexed inner insert intersect into is isnull join left limit natural not nothing notnull null on or order outer primary " +
    "references returning right select set table then to transaction union unique update using values when where with " +
    "window over filter"
  ).split(" "),
)
const german: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ß: "ss" }

/** Returns a name that SQL accepts without quotes: letters of any script, digits and underscores, and no reserved word. */
function identifier(words: readonly string[]): string {
  const plain = words
    .join(" ")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => german[letter] ?? letter)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]+/gu, (rest) => (/^\p{M}+$/u.test(rest) ? "" : "_"))
    .replace(/^_+|_+$/g, "")
  const short = Array.from(plain).slice(0, maxNameLength).join("").replace(/_+$/, "")
  return short === "" || /^\p{N}|^sqlite_/u.test(short) || reserved.has(short)
    ? `t_${short}`.replace(/_$/, "able")
    : short
}

/** Returns a table name that is unused in the folder. */
export function chooseTableName(fileName: string, sheet: string | null, taken: ReadonlySet<string>): string {
  const stem = fileName.replace(/\.[^.]*$/, "")
  const wanted = identifier(sheet === null ? [stem] : [stem, sheet])
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`
  return name
}
