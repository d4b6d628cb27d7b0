import { z } from "zod"
import type { ModelRole } from "../../../shared/contract/model-files.ts"
import type { Database } from "../../core/database.ts"

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

export function createModelStore(db: Database): ModelStore {
  async function read(key: string): Promise<unknown> {
    const row = await db.selectFrom("settings").select("value").where("key", "=", key).executeTakeFirst()
    return row ? (JSON.parse(row.value) as unknown) : null
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
    chosen: async (role) =>
      z
        .string()
        .nullable()
        .parse(await read(keys[role])),
    choose: (role, path) => write(keys[role], path),
    adopted: async () => z.array(AdoptedModel).parse((await read(keys.adopted)) ?? []),
    setAdopted: (models) => write(keys.adopted, models),
  }
}
