import { type ModelChoice, ModelRole } from "../../../shared/contract/model-files.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { modelIdOf } from "./model-id.ts"
import type { ModelStore } from "./model-store.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"

export interface ModelChoiceDeps {
  store: Pick<ModelStore, "chosen" | "choose">
  /** Whether a model is where it was: servers come and go. */
  isThere(reference: string): Promise<boolean>
  /** What flags or the environment say for this run. */
  startModels: Readonly<Record<ModelRole, string | null>>
  /** Takes a model into use, or none. */
  use: Readonly<Record<ModelRole, (reference: string | null) => void | Promise<void>>>
}

/** A model that may get a role. */
export interface Choosable {
  /** The path of its file, or the id of a server's model. */
  reference: string
  roles: readonly ModelRole[]
  /** Why it can't have any. */
  problem?: string | undefined
  sentence?: SentenceBody | undefined
}

const roles = ModelRole.options
const roleRefusals = {
  chat: "models.cannot_answer",
  embedding: "models.cannot_embed",
  rerank: "models.cannot_rerank",
} as const

/** Which model has which role. A flag or the environment beats the choice for one run. */
export async function openModelChoice({ store, isThere, startModels, use }: ModelChoiceDeps) {
  const chosenOf = async (role: ModelRole) => {
    const reference = await store.chosen(role)
    return reference !== null && (await isThere(reference)) ? reference : null
  }
  const chosen = {
    chat: await chosenOf("chat"),
    embedding: await chosenOf("embedding"),
    rerank: await chosenOf("rerank"),
  }
  const inUse = {
    chat: startModels.chat ?? chosen.chat,
    embedding: startModels.embedding ?? chosen.embedding,
    rerank: startModels.rerank ?? chosen.rerank,
  }

  const choiceOf = (role: ModelRole) => ({
    chosenId: chosen[role] === null ? null : modelIdOf(chosen[role]),
    decidedBy: startModels[role] === null ? ("settings" as const) : ("start" as const),
    pending: chosen[role] !== inUse[role] && (startModels[role] === null || chosen[role] !== null),
  })

  /** Throws `unprocessable` when the model can't have the role. */
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
    if (startModels[role] !== null || inUse[role] === reference) return
    inUse[role] = reference
    await use[role](reference)
  }

  return {
    /** Path of the file, id of the server's model, or address of the server, that the role has in this run. */
    inUse: (role: ModelRole) => inUse[role],
    roleOf: (reference: string): ModelRole | null => roles.find((role) => inUse[role] === reference) ?? null,
    current: (): ModelChoice => ({
      chat: choiceOf("chat"),
      embedding: choiceOf("embedding"),
      rerank: choiceOf("rerank"),
    }),

    choose,

    /** Reloads models that have changed, stops using models that are gone, and uses chosen models that have become available. */
    async lookAgain(isConcerned: (reference: string) => boolean): Promise<void> {
      for (const role of roles) {
        chosen[role] ??= await chosenOf(role)
        const reference = inUse[role] ?? (startModels[role] === null ? chosen[role] : null)
        if (reference === null || !isConcerned(reference)) continue
        inUse[role] = reference
        if (await isThere(reference)) await use[role](reference)
        else await choose(role, null)
      }
    },
  }
}

export type OpenModelChoice = Awaited<ReturnType<typeof openModelChoice>>
