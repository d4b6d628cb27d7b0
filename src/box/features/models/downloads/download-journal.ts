import { open, readdir, readFile, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { z } from "zod"
import { type CatalogueModel, ModelSource } from "../../../../shared/contract/models.ts"
import { renameDurably } from "../../../core/files/durable-file.ts"
import { makeDirectoryInside } from "../../../core/files/path-jail.ts"
import { newId } from "../../../core/ids.ts"
import { SentenceBody } from "../../../../shared/contract/sentence.ts"

const Remote = z.object({
  etag: z.string().nullable(),
  sizeBytes: z.number().nullable(),
  sha256: z.string().nullable(),
})

/** Data needed to resume a download after a restart. */
const JournalEntry = ModelSource.extend({
  id: z.string(),
  name: z.string(),
  status: z.enum(["downloading", "paused", "failed"]),
  error: z.string().nullable(),
  sentence: SentenceBody.optional(),
  /** Whether the model is used as soon as it is downloaded, if its role is free. */
  use: z.boolean().default(false),
  /** Properties of the file according to the catalogue. */
  expected: z.object({ sizeBytes: z.number().nullable(), sha256: z.string().nullable() }),
  /** Properties of the file that the server reported when its first byte arrived. */
  remote: Remote,
})
export type JournalEntry = z.infer<typeof JournalEntry>

export const nothingKnown: JournalEntry["remote"] = { etag: null, sizeBytes: null, sha256: null }

export function newEntry(source: ModelSource | CatalogueModel, use: boolean): JournalEntry {
  const { repo, file, revision } = source
  const known = "sizeBytes" in source ? source : null
  return {
    id: newId(),
    repo,
    file,
    revision,
    name: known?.name ?? basename(file).replace(/\.gguf$/i, ""),
    use,
    status: "downloading",
    error: null,
    remote: nothingKnown,
    expected: { sizeBytes: known?.sizeBytes ?? null, sha256: known?.sha256 ?? null },
  }
}

/** One small file per download, next to the bytes that have arrived. */
export function createDownloadJournal(directory: string) {
  const getEntryPath = (id: string) => join(directory, `${id}.json`)

  return {
    partial: (id: string) => join(directory, `${id}.partial`),

    /** Reads all entries; a damaged entry is deleted with its bytes. */
    async read(): Promise<JournalEntry[]> {
      const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return []
        throw error
      })
      const entries: JournalEntry[] = []
      for (const name of names) {
        const entry = name.endsWith(".json") ? await this.readOne(join(directory, name)) : null
        if (entry) entries.push(entry)
      }
      const known = new Set(entries.flatMap(({ id }) => [`${id}.json`, `${id}.partial`]))
      for (const name of names) if (!known.has(name)) await rm(join(directory, name), { force: true })
      return entries.toSorted((a, b) => a.id.localeCompare(b.id))
    },

    async readOne(path: string): Promise<JournalEntry | null> {
      try {
        return JournalEntry.parse(JSON.parse(await readFile(path, "utf8")))
      } catch (error) {
        if (error instanceof SyntaxError || error instanceof z.ZodError) return null
        throw error
      }
    },

    /** The entry survives a power failure. */
    async write(entry: JournalEntry): Promise<void> {
      const models = dirname(directory) // doesn't exist before the first download
      await makeDirectoryInside(dirname(models), [basename(models), basename(directory)])
      const temporary = `${getEntryPath(entry.id)}.new`
      const file = await open(temporary, "w")
      try {
        await file.writeFile(JSON.stringify(entry))
        await file.sync()
      } finally {
        await file.close()
      }
      await renameDurably(temporary, getEntryPath(entry.id))
    },

    /** Deletes the downloaded bytes and the entry. */
    async remove(id: string): Promise<void> {
      await rm(getEntryPath(id), { force: true })
      await rm(this.partial(id), { force: true })
    },
  }
}

export type DownloadJournal = ReturnType<typeof createDownloadJournal>
