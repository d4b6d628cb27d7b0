import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import type { FolderEntry } from "../../../shared/contract/folders.ts"
import { parseServerModelId } from "../../../shared/contract/server-model-id.ts"
import type { Client } from "../../../shared/client/http-client.ts"
import type { CommandFlags } from "../command.ts"
import { named } from "../names.ts"

/** A model that may answer. */
export interface AnsweringModel {
  id: string
  name: string
  /** Name of its server; null for a model on this computer. */
  server: string | null
}

/** Who answers, and from what. */
export interface Answering {
  /** Null where passages are quoted, for want of a model. */
  model: AnsweringModel | null
  /** What was named, for the request. */
  modelId: string | null
  assistantId: string | null
  folderIds: string[]
  /** What of the folders leaves this computer, or keeps a model from being asked; null where nothing does. */
  sending: string | null
}

/** Every chat model that may be named, the chosen one first. */
export const answeringModels = async (client: Client): Promise<AnsweringModel[]> =>
  (await client.completions.models()).data.map(({ id, owned_by }) => ({
    id,
    name: parseServerModelId(id)?.name ?? id,
    server: owned_by === "local" ? null : owned_by,
  }))

export const folderNames = async (client: Client): Promise<FolderEntry[]> =>
  (await client.folders.list()).vectors

const mostAtOnce = 200

/** All of them, page by page. */
export async function assistantNames(client: Client): Promise<AssistantEntry[]> {
  const all: AssistantEntry[] = []
  for (;;) {
    const query = { limit: mostAtOnce, offset: all.length }
    const { assistants, pagination } = await client.assistants.list({ query })
    all.push(...assistants)
    if (assistants.length === 0 || all.length >= pagination.total) return all
  }
}

/** What the flags name, found among what there is. Throws what `named` throws. */
export async function findAnswering(client: Client, flags: CommandFlags): Promise<Answering> {
  const [models, folders, assistants] = await Promise.all([
    answeringModels(client),
    folderNames(client),
    flags.assistant === undefined ? [] : assistantNames(client),
  ])
  const assistant =
    flags.assistant === undefined
      ? null
      : named("assistant", withoutAt(flags.assistant), withHandles(assistants))
  const asked = (flags.folder ?? []).map((given) => named("folder", given, folders))
  const model = flags.model === undefined ? null : named("model", flags.model, models)
  const ofAssistant = models.find(({ id }) => id === assistant?.modelId)
  const answers = model ?? ofAssistant ?? models[0] ?? null
  const read = new Set([...asked.map(({ id }) => id), ...(assistant?.vectorIds ?? [])])
  return {
    model: answers,
    modelId: model?.id ?? null,
    assistantId: assistant?.id ?? null,
    folderIds: asked.map(({ id }) => id),
    sending: sendingOf(
      answers,
      folders.filter(({ id }) => read.has(id)),
    ),
  }
}

const withoutAt = (given: string): string => given.replace(/^@/, "")

/** Assistants go by their handles, too. */
const withHandles = (assistants: AssistantEntry[]) =>
  assistants.flatMap((assistant) =>
    assistant.name.toLowerCase() === assistant.handle
      ? [assistant]
      : [assistant, { ...assistant, name: assistant.handle }],
  )

const list = new Intl.ListFormat("en")

function sendingOf(model: AnsweringModel | null, read: FolderEntry[]): string | null {
  if (model === null || model.server === null || read.length === 0) return null
  const called = `${model.name} (${model.server})`
  const staying = read.filter(({ remote }) => remote === "never")
  const names = list.format((staying.length > 0 ? staying : read).map(({ name }) => name))
  if (staying.length === 0) return `Passages of ${names} are sent to ${called}.`
  const verb = staying.length === 1 ? "stays" : "stay"
  return `${names} ${verb} on this computer, so ${called} isn't asked. Name a model of this computer with --model.`
}
