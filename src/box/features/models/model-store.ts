import { z } from "zod"
import type { ModelRole } from "../../../shared/contract/model-files.ts"
import type { Database } from "../../core/database.ts"
import type { Logger } from "../../core/logger.ts"
import { readStored } from "../../core/stored-json.ts"

const keys = {
  chat: "chatModel",
  embedding: "embeddingModel",
  rerank: "rerankModel",
  adopted: "adoptedModels",
} as const

const AdoptedModel = z.object({ path: z.string(), name: z.string() })
/** A file that is used where it is. */
export type AdoptedModel = z.infer<typeof AdoptedModel>

/** What the owners decided about models: the path of each role's file, and the files used where they are. */
export interface ModelStore {
  chosen(role: ModelRole): Promise<string | null>
  choose(role: ModelRole, path: string | null): Promise<void>
  adopted(): Promise<AdoptedModel[]>
  setAdopted(models: readonly AdoptedModel[]): Promise<void>
}

export function createModelStore(db: Database, logger: Logger): ModelStore {
  /** Null when nothing is stored, or nothing that can be read. */
  async function read<Schema extends z.ZodType>(
    key: string,
    schema: Schema,
  ): Promise<z.output<Schema> | null> {
    const row = await db.selectFrom("settings").select("value").where("key", "=", key).executeTakeFirst()
    if (!row) return null
    const stored = readStored(schema, row.value)
    if (stored === undefined) logger.warn({ key }, "What is stored of models isn't valid and doesn't count")
    return stored ?? null
  }

  async function write(key: string, content: unknown): Promise<void> {
    const value = JSON.stringify(content)
    await db
      .insertInto("settings")
      .values({ key, value })
      .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
      .execute()
  }

  return {
    chosen: (role) => read(keys[role], z.string().nullable()),
    choose: (role, path) => write(keys[role], path),
    adopted: async () => (await read(keys.adopted, z.array(AdoptedModel))) ?? [],
    setAdopted: (models) => write(keys.adopted, models),
  }
}
