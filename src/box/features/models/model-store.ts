import { z } from "zod"
import type { ModelRole } from "../../../shared/contract/model-files.ts"
import { actualPath, storedPath } from "../../core/data-layout.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { isServerModel } from "./model-id.ts"
import { readStored } from "../../core/database/stored-json.ts"

const keys = {
  chat: "chatModel",
  embedding: "embeddingModel",
  rerank: "rerankModel",
  adopted: "adoptedModels",
} as const

const AdoptedModel = z.object({ path: z.string(), name: z.string() })
/** A file that is used in place. */
export type AdoptedModel = z.infer<typeof AdoptedModel>

/**
 * The owners' decisions about models: the path or server model ID for each role, and the files that are used in place. Files in the data
 * directory are stored by their relative path, so that the directory can be moved.
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
  /** Null if nothing readable is stored. */
  async function read<Schema extends z.ZodType>(
    key: string,
    schema: Schema,
  ): Promise<z.output<Schema> | null> {
    const value = await values.read(key)
    if (value === null) return null
    const stored = readStored(schema, value)
    if (stored === undefined) logger.warn({ key }, "Stored model settings are invalid and ignored")
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
