import { createHash } from "node:crypto"
import { z } from "zod"
import { AppError } from "../../../shared/contract/errors.ts"
import { ModelRole, type ModelChoice } from "../../../shared/contract/models.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import { parseServerModelId } from "../../../shared/contract/server-model-id.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { actualPath, storedPath } from "../../core/data-layout.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { Logger } from "../../core/logging/logger.ts"

/** Whether a reference names a server's model; otherwise it is the path of a file, or the URL given by a flag. */
export const isServerModel = (reference: string): boolean => parseServerModelId(reference) !== null

/** The ID of a model file depends on its path: it stays the same while the file isn't moved. A server's model is its own ID. */
export const getModelId = (reference: string): string =>
  isServerModel(reference)
    ? reference
    : createHash("sha256").update(reference).digest("base64url").slice(0, 22)

const keys = {
  chat: "chatModel",
  embedding: "embeddingModel",
  rerank: "rerankModel",
  adopted: "adoptedModels",
} as const

const AdoptedModel = z.object({ path: z.string(), name: z.string() })
/** A file that is used in place. */
type AdoptedModel = z.infer<typeof AdoptedModel>

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

/** A model that can be given a role. */
export interface Choosable {
  /** The path of its file, or the ID of a server's model. */
  reference: string
  roles: readonly ModelRole[]
  /** The reason why it can't have any role. */
  problem?: string | undefined
  sentence?: SentenceBody | undefined
}

const roles = ModelRole.options
const roleRefusals = {
  chat: "models.cannot_answer",
  embedding: "models.cannot_embed",
  rerank: "models.cannot_rerank",
} as const

/**
 * Assigns models to roles. A flag or the environment overrides the choice for one run.
 * @param isThere whether a model is still available: model servers can be added and removed
 * @param startModels the models that flags or the environment set for this run
 * @param use uses a model, or none
 */
export async function openModelChoice(
  store: Pick<ModelStore, "chosen" | "choose">,
  isThere: (reference: string) => Promise<boolean>,
  startModels: Readonly<Record<ModelRole, string | null>>,
  use: Readonly<Record<ModelRole, (reference: string | null) => void | Promise<void>>>,
) {
  const getChosen = async (role: ModelRole) => {
    const reference = await store.chosen(role)
    return reference !== null && (await isThere(reference)) ? reference : null
  }
  const chosen = {
    chat: await getChosen("chat"),
    embedding: await getChosen("embedding"),
    rerank: await getChosen("rerank"),
  }
  const activeModel = {
    chat: startModels.chat ?? chosen.chat,
    embedding: startModels.embedding ?? chosen.embedding,
    rerank: startModels.rerank ?? chosen.rerank,
  }

  const getChoice = (role: ModelRole) => ({
    chosenId: chosen[role] === null ? null : getModelId(chosen[role]),
    decidedBy: startModels[role] === null ? ("settings" as const) : ("start" as const),
    pending: chosen[role] !== activeModel[role] && (startModels[role] === null || chosen[role] !== null),
  })

  /** Throws `unprocessable` if the model can't have the role. */
  async function choose(role: ModelRole, model: Choosable | null): Promise<void> {
    if (model && !model.roles.includes(role)) {
      throw new AppError(
        "unprocessable",
        model.problem === undefined
          ? sentence(roleRefusals[role])
          : Sentence.asIs(model.problem, model.sentence),
      )
    }
    const reference = model?.reference ?? null
    await store.choose(role, reference)
    chosen[role] = reference
    if (startModels[role] !== null || activeModel[role] === reference) return
    activeModel[role] = reference
    await use[role](reference)
  }

  return {
    /** The role's current model in this run: path of the file, ID of the server's model, or URL of the server. */
    activeModel: (role: ModelRole) => activeModel[role],
    getRole: (reference: string): ModelRole | null =>
      roles.find((role) => activeModel[role] === reference) ?? null,
    current: (): ModelChoice => ({
      chat: getChoice("chat"),
      embedding: getChoice("embedding"),
      rerank: getChoice("rerank"),
    }),

    choose,

    /** Reloads models that have changed, stops using models that are gone, and uses chosen models that have become available. */
    async reload(isConcerned: (reference: string) => boolean): Promise<void> {
      for (const role of roles) {
        chosen[role] ??= await getChosen(role)
        const reference = activeModel[role] ?? (startModels[role] === null ? chosen[role] : null)
        if (reference === null || !isConcerned(reference)) continue
        activeModel[role] = reference
        if (await isThere(reference)) await use[role](reference)
        else await choose(role, null)
      }
    },
  }
}

export type OpenModelChoice = Awaited<ReturnType<typeof openModelChoice>>
