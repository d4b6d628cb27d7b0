import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"

/** Local copies of tables on a store. Each is complete and has one version. There are as many as the limit allows. */
export interface TableCopies {
  /**
   * Updates the copy of a table to this version, removes earlier ones, and opens it. `open` receives LanceDB's connection URI and throws if
   * the copy is damaged. Returns null if there is no copy, because space is short, the store already has a later version, or an error
   * occurs.
   */
  open<Opened>(table: string, version: number, open: (uri: string) => Promise<Opened>): Promise<Opened | null>
  /** Deletes the copy of a table, and logs the reason if the copy failed. Never throws. */
  drop(table: string, reason?: unknown): Promise<void>
}

/** Location of LanceDB's tables: a directory, or a location on an object store. */
export interface TablesLocation {
  /** The URI that LanceDB connects to. */
  uri: string
  /** Connection options for a store; null for a directory. */
  storageOptions: Record<string, string> | null
  /** Call this before anything is written there. Throws if writing isn't allowed. */
  prepare(): Promise<void>
  /** Returns the names of the files at this path; empty if the path doesn't exist. */
  names(path: string): Promise<string[]>
  /** Copies of tables on a store; null for a directory. */
  copies: TableCopies | null
}

export const tablesIn = (directory: string): TablesLocation => ({
  uri: directory,
  storageOptions: null,
  copies: null,
  async prepare() {
    await mkdir(directory, { recursive: true })
  },
  names: (path) =>
    readdir(join(directory, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    }),
})
