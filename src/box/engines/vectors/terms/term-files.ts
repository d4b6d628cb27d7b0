import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { freeNewName, readSmallFile } from "../../../core/files/file-contents.ts"
import { yieldToEventLoop, chunksWithYield } from "../../../core/waiting/yield-to-event-loop.ts"
import { requireId } from "../passage-record.ts"
import { holdsTerm, mergeTerms, type SortedTerms } from "./sorted-terms.ts"

/** Maximum size for one folder. A million passages of prose have fewer characters. Words added beyond it aren't used for corrections. */
const maxCharacters = 24_000_000
/** Maximum size of a file that is read in one piece. The files written here are smaller, in any script. */
const maxBytes = 2 ** 27
const termsPerChunk = 256
const stateName = "removed"

/** Returns a checksum that shows whether a file contains the terms written for this folder. */
const computeChecksum = (vectorId: string, terms: SortedTerms) => crc32(terms, crc32(vectorId)).toString(16)

/** Stores the terms of each folder in a separate file after their checksum, and a state file for all of them. */
export function createTermFiles(directory: string) {
  const statePath = join(directory, stateName)

  const replace = async (path: string, text: string) => {
    await mkdir(directory, { recursive: true })
    const written = freeNewName(path)
    await writeFile(written, text, { flag: "wx" })
    await rename(written, path)
  }

  const read = async (vectorId: string): Promise<SortedTerms> => {
    const text = await readSmallFile(join(directory, requireId(vectorId)), maxBytes).catch(nothingIfMissing)
    if (text === undefined) return ""
    const end = text.indexOf("\n") + 1
    const terms = text.slice(end)
    if (text.slice(0, end) !== `${computeChecksum(vectorId, terms)}\n`)
      throw new Error("The words of a folder are damaged.")
    return terms
  }

  const countFolders = async () =>
    (await readdir(directory)).filter((name) => name !== stateName && !name.includes(".")).length

  return {
    /** Returns no terms if there is no file; throws if the file isn't as it was written. */
    read,

    /** Returns the folder's terms including the new ones, or `undefined` if there was nothing new. */
    async add(vectorId: string, terms: readonly string[]): Promise<SortedTerms | undefined> {
      const known = await read(vectorId)
      if (known.length > maxCharacters) return undefined
      const added: string[] = []
      for await (const some of chunksWithYield(terms, termsPerChunk))
        added.push(...some.filter((term) => !holdsTerm(known, term)))
      if (added.length === 0) return undefined
      const all = await mergeTerms(known, added.sort(), yieldToEventLoop)
      await replace(join(directory, requireId(vectorId)), `${computeChecksum(vectorId, all)}\n${all}`)
      return all
    },

    async remove(vectorId: string): Promise<void> {
      await rm(join(directory, requireId(vectorId)), { force: true })
    },

    async clear(): Promise<void> {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 })
    },

    /**
     * Returns the number of passages removed since the files were created; `undefined` unless the files are complete and were closed
     * properly.
     */
    async readRemoved(): Promise<number | undefined> {
      const state = (await readSmallFile(statePath).catch(nothingIfMissing)) ?? ""
      const [, removed, folders] = /^(\d+) (\d+)$/.exec(state) ?? []
      return state !== "" && Number(folders) === (await countFolders()) ? Number(removed) : undefined
    },

    /** Marks the files as complete. */
    async writeRemoved(removed: number): Promise<void> {
      await mkdir(directory, { recursive: true })
      await replace(statePath, `${removed} ${await countFolders()}`)
    },
  }
}

function nothingIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error
}
