import { type ModelChoice, ModelRole } from "../../../shared/contract/model-files.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { getModelId } from "./model-id.ts"
import type { ModelStore } from "./model-store.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"

export interface ModelChoiceDeps {
  store: Pick<ModelStore, "chosen" | "choose">
  /** Whether a model is still available: model servers can be added and removed. */
  isThere(reference: string): Promise<boolean>
  /** The models that flags or the environment set for this run. */
  startModels: Readonly<Record<ModelRole, string | null>>
  /** Uses a model, or none. */
  use: Readonly<Record<ModelRole, (reference: string | null) => void | Promise<void>>>
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

/** Assigns models to roles. A flag or the environment overrides the choice for one run. */
export async function openModelChoice({ store, isThere, startModels, use }: ModelChoiceDeps) {
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
