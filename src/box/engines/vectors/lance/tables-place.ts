import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"

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
}

export const tablesIn = (directory: string): TablesPlace => ({
  uri: directory,
  storageOptions: null,
  async prepare() {
    await mkdir(directory, { recursive: true })
  },
  names: (path) =>
    readdir(join(directory, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return []
      throw error
    }),
})
