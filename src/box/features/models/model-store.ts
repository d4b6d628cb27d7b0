import { stat } from "node:fs/promises"
import { normalize, sep } from "node:path"
import { z } from "zod"
import { ModelRole } from "../../../shared/contract/model-files.ts"
import { actualPath, modelsPath, storedPath } from "../../core/data-layout.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { silentLogger, type Logger } from "../../core/logging/logger.ts"
import { isServerModel } from "./model-id.ts"
import { readStored } from "../../core/database/stored-json.ts"

const keys = {
  chat: "chatModel",
  embedding: "embeddingModel",
  rerank: "rerankModel",
  adopted: "adoptedModels",
} as const

const AdoptedModel = z.object({ path: z.string(), name: z.string() })
/** A file that is used where it is. */
export type AdoptedModel = z.infer<typeof AdoptedModel>

/**
 * What the owners decided about models: the path of each role's file, or the id of a server's model, and the files used
 * where they are. Files in the data directory are stored by their place in it, so that it may be moved.
 */
export interface ModelStore {
  chosen(role: ModelRole): Promise<string | null>
  choose(role: ModelRole, reference: string | null): Promise<void>
  adopted(): Promise<AdoptedModel[]>
  setAdopted(models: readonly AdoptedModel[]): Promise<void>
}

export function createModelStore(
  values: Pick<BoxValues, "read" | "write">,
  dataDir: string,
  logger: Logger,
): ModelStore {
  /** Null when nothing is stored, or nothing that can be read. */
  async function read<Schema extends z.ZodType>(
    key: string,
    schema: Schema,
  ): Promise<z.output<Schema> | null> {
    const value = await values.read(key)
    if (value === null) return null
    const stored = readStored(schema, value)
    if (stored === undefined) logger.warn({ key }, "What is stored of models isn't valid and doesn't count")
    return stored ?? null
  }

  const write = (key: string, content: unknown) => values.write([{ key, value: JSON.stringify(content) }])

  return {
    async chosen(role) {
      const stored = await read(keys[role], z.string().nullable())
      return stored === null || isServerModel(stored) ? stored : actualPath(dataDir, stored)
    },
    choose: (role, reference) =>
      write(
        keys[role],
        reference === null || isServerModel(reference) ? reference : storedPath(dataDir, reference),
      ),
    async adopted() {
      const stored = (await read(keys.adopted, z.array(AdoptedModel))) ?? []
      return stored.map(({ path, name }) => ({ path: actualPath(dataDir, path), name }))
    },
    setAdopted: (models) =>
      write(
        keys.adopted,
        models.map(({ path, name }) => ({ path: storedPath(dataDir, path), name })),
      ),
  }
}

/**
 * Forgets models of a restored backup that it brought itself, and those whose path leads to no file of this computer. A model in the
 * directory of models may be downloaded again later. Nothing on another computer is looked at, because that sends it the name of this
 * computer's user.
 */
export async function forgetForeignModels(
  values: Pick<BoxValues, "read" | "write">,
  dataDir: string,
): Promise<void> {
  const store = createModelStore(values, dataDir, silentLogger)
  const isKept = async (path: string) => {
    if (normalize(path) !== path) return false
    if (path.startsWith(dataDir + sep)) return path.startsWith(modelsPath(dataDir) + sep)
    return /^([\\/])(?!\1)|^[a-z]:/i.test(path) && (await stat(path).catch(() => null))?.isFile() === true
  }
  const adopted = await store.adopted()
  const kept = []
  for (const model of adopted) if (await isKept(model.path)) kept.push(model)
  if (kept.length < adopted.length) await store.setAdopted(kept)
  for (const role of ModelRole.options) {
    const chosen = await store.chosen(role)
    if (chosen !== null && !isServerModel(chosen) && !(await isKept(chosen))) await store.choose(role, null)
  }
}
