import { type ModelChoice, ModelRole, roleFor } from "../../../shared/contract/model-files.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import type { ModelFile } from "./installed-models.ts"
import { modelIdOf } from "./model-id.ts"
import type { ModelStore } from "./model-store.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"

export interface ModelChoiceDeps {
  store: Pick<ModelStore, "chosen" | "choose">
  /** What flags or the environment say for this run. */
  startModels: Readonly<Record<ModelRole, string | null>>
  /** Takes a model file into use, or none. */
  use: Readonly<Record<ModelRole, (path: string | null) => void | Promise<void>>>
}

const roles = ModelRole.options
const roleRefusals = {
  chat: "models.cannot_answer",
  embedding: "models.cannot_embed",
  rerank: "models.cannot_rerank",
} as const

/** Which model has which role. A flag or the environment beats the choice for one run. */
export async function openModelChoice({ store, startModels, use }: ModelChoiceDeps) {
  const chosen = {
    chat: await store.chosen("chat"),
    embedding: await store.chosen("embedding"),
    rerank: await store.chosen("rerank"),
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

  return {
    /** Path of the file, or address of the server, that the role has in this run. */
    inUse: (role: ModelRole) => inUse[role],
    roleOf: (path: string): ModelRole | null => roles.find((role) => inUse[role] === path) ?? null,
    current: (): ModelChoice => ({
      chat: choiceOf("chat"),
      embedding: choiceOf("embedding"),
      rerank: choiceOf("rerank"),
    }),

    /** Throws `unprocessable` when the model can't have the role. */
    async choose(role: ModelRole, model: ModelFile | null): Promise<void> {
      if (model && roleFor(model.purpose) !== role) {
        throw new AppError(
          "unprocessable",
          model.problem === undefined
            ? sentence(roleRefusals[role])
            : Sentence.asIs(model.problem, model.sentence),
        )
      }
      const path = model?.path ?? null
      await store.choose(role, path)
      chosen[role] = path
      if (startModels[role] !== null || inUse[role] === path) return
      inUse[role] = path
      await use[role](path)
    },
  }
}

export type OpenModelChoice = Awaited<ReturnType<typeof openModelChoice>>
