import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"

/** Copies here of tables on a store, each whole and as it is in one version, as many as there is room for. */
export interface TableCopies {
  /**
   * Makes the copy of a table one of this version, and none of an earlier one, and opens it: `open` gets what LanceDB connects to, and
   * throws where the copy is damaged. Null where it can't be had: there is no room, the store has a later version already, or something fails.
   */
  open<Opened>(table: string, version: number, open: (uri: string) => Promise<Opened>): Promise<Opened | null>
  /** Deletes the copy of a table; the reason is told where it failed. Throws nothing. */
  drop(table: string, reason?: unknown): Promise<void>
}

/** Where LanceDB keeps its tables: a directory, or a place on an object store. */
export interface TablesPlace {
  /** What LanceDB connects to. */
  uri: string
  /** How it reaches a store; null: it is a directory. */
  storageOptions: Record<string, string> | null
  /** To be called before anything is written there. Throws where nothing may be. */
  prepare(): Promise<void>
  /** Names of the files in there at this path; none where it isn't. */
  names(path: string): Promise<string[]>
  /** Of tables on a store; null: it is a directory. */
  copies: TableCopies | null
}

export const tablesIn = (directory: string): TablesPlace => ({
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
