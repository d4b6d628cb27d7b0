import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { freeNewName, readSmallFile } from "../../../core/files/small-file.ts"
import { breathe, inBreaths } from "../../../core/waiting/breathe.ts"
import { requireId } from "../passage-record.ts"
import { holdsTerm, withTerms, type SortedTerms } from "./sorted-terms.ts"

/** Of one folder; a million passages of prose have fewer. The words that come later aren't corrections of any. */
const mostCharacters = 24_000_000
const termsPerBreath = 256

/** The terms of each folder in a file of its own, and what is known of all of them. */
export function createTermFiles(directory: string) {
  const statePath = join(directory, "removed")

  const replace = async (path: string, text: string) => {
    await mkdir(directory, { recursive: true })
    const written = freeNewName(path)
    await writeFile(written, text, { flag: "wx" })
    await rename(written, path)
  }

  const read = async (vectorId: string): Promise<SortedTerms> => {
    const terms = await readFile(join(directory, requireId(vectorId)), "utf8").catch(nothingIfMissing)
    return terms.endsWith("\n") ? terms : "" // cut short by a power failure
  }

  return {
    /** None where there is no file. */
    read,

    /** Returns the folder's terms with these, or `undefined` where it had them all. */
    async add(vectorId: string, terms: readonly string[]): Promise<SortedTerms | undefined> {
      const known = await read(vectorId)
      const added: string[] = []
      for await (const some of inBreaths(terms, termsPerBreath))
        added.push(...some.filter((term) => !holdsTerm(known, term)))
      if (added.length === 0 || known.length > mostCharacters) return undefined
      const all = await withTerms(known, added.sort(), breathe)
      await replace(join(directory, requireId(vectorId)), all)
      return all
    },

    async remove(vectorId: string): Promise<void> {
      await rm(join(directory, requireId(vectorId)), { force: true })
    },

    async clear(): Promise<void> {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    },

    /** Passages that were removed since the files were made; `undefined` unless they were left whole. */
    async readRemoved(): Promise<number | undefined> {
      const state = await readSmallFile(statePath).catch(nothingIfMissing)
      const removed = Number.parseInt(state, 10)
      return Number.isNaN(removed) ? undefined : removed
    },

    /** Says that the files are whole. */
    writeRemoved: (removed: number): Promise<void> => replace(statePath, String(removed)),
  }
}

function nothingIfMissing(error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT") return ""
  throw error
}
