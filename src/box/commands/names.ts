import { editDistance } from "../../serve/command-help.ts"
import type { Client } from "../../shared/client/http-client.ts"
import type { AssistantEntry } from "../../shared/contract/assistants.ts"
import type { AppError } from "../../shared/contract/errors.ts"
import type { FolderEntry } from "../../shared/contract/folders.ts"
import { parseServerModelId } from "../../shared/contract/server-model-id.ts"
import { TerminalError } from "../core/terminal-error.ts"
import type { CommandFlags } from "./command.ts"
import { plainLine } from "./terminal.ts"

/** Something that users name on the command line. */
export interface Named {
  id: string
  name: string
}

const maxSuggested = 3

/**
 * Returns the item with this ID, or with this name in any case.
 * @throws AppError `not_found` with the nearest names, `conflict` if several items have the name
 */
export function findByName<T extends Named>(what: string, given: string, all: readonly T[]): T {
  const lower = given.toLowerCase()
  const byId = all.find(({ id }) => id === given)
  if (byId) return byId
  for (const fits of [({ name }: T) => name === given, ({ name }: T) => name.toLowerCase() === lower]) {
    const found = all.filter(fits)
    if (found.length > 1) throw ambiguous(what, given, found)
    if (found[0]) return found[0]
  }
  const near = nearest(lower, all)
  const advice =
    near.length > 0
      ? `Did you mean ${near.map(({ name }) => `"${plainLine(name)}"`).join(" or ")}?`
      : "There are none."
  throw new TerminalError("not_found", `There is no ${what} "${plainLine(given)}". ${advice}`)
}

function ambiguous(what: string, given: string, found: readonly Named[]): AppError {
  const ids = found.map(({ id }) => `\n  ${plainLine(id)}`).join("")
  return new TerminalError(
    "conflict",
    `More than one ${what} is named "${plainLine(given)}". Use an ID:${ids}`,
  )
}

/** Names that contain the text come first, then the rest by the number of characters that differ. */
function nearest<T extends Named>(lower: string, all: readonly T[]): T[] {
  const distance = ({ name }: T) =>
    name.toLowerCase().includes(lower) ? -1 : editDistance(lower, name.toLowerCase().slice(0, 100))
  return all
    .map((each) => ({ each, far: distance(each) }))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, maxSuggested)
    .map(({ each }) => each)
}

/** A model that may answer. */
export interface AnsweringModel {
  id: string
  name: string
  /** Name of its server; null for a local model. */
  server: string | null
}

/** The model or assistant that answers, and its sources. */
export interface Answering {
  /** Null if passages are quoted because there is no model. */
  model: AnsweringModel | null
  /** The named model, for the request. */
  modelId: string | null
  assistantId: string | null
  folderIds: string[]
  /** Describes folder content that leaves this computer, or that keeps a model from being called; null if there is none. */
  sending: string | null
}

/** All chat models that can be named, the chosen one first. */
export const answeringModels = async (client: Client): Promise<AnsweringModel[]> =>
  (await client.completions.models()).data.map(({ id, owned_by }) => ({
    id,
    name: parseServerModelId(id)?.name ?? id,
    server: owned_by === "local" ? null : owned_by,
  }))

export const listFolders = async (client: Client): Promise<FolderEntry[]> =>
  (await client.folders.list()).vectors

const pageSize = 200

/** Reads all items, or the first `max`, page by page. */
export async function listAll<T>(
  limit: number,
  read: (page: { limit: number; offset: number }) => Promise<{ items: T[]; total: number }>,
  max = Infinity,
): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const { items, total } = await read({ limit, offset: all.length })
    all.push(...items)
    if (items.length === 0 || all.length >= Math.min(total, max)) return all.slice(0, max)
  }
}

export const listAssistants = (client: Client): Promise<AssistantEntry[]> =>
  listAll(pageSize, async (query) => {
    const { assistants, pagination } = await client.assistants.list({ query })
    return { items: assistants, total: pagination.total }
  })

/** Finds what the flags name. Throws the errors of `named`. */
export async function findAnswering(client: Client, flags: CommandFlags): Promise<Answering> {
  const [models, folders, assistants] = await Promise.all([
    answeringModels(client),
    listFolders(client),
    flags.assistant === undefined ? [] : listAssistants(client),
  ])
  const assistant =
    flags.assistant === undefined
      ? null
      : findByName("assistant", stripAt(flags.assistant), addHandles(assistants))
  const asked = (flags.folder ?? []).map((given) => findByName("folder", given, folders))
  const model = flags.model === undefined ? null : findByName("model", flags.model, models)
  const assistantModel = models.find(({ id }) => id === assistant?.modelId)
  const answers = model ?? assistantModel ?? models[0] ?? null
  const read = new Set([...asked.map(({ id }) => id), ...(assistant?.vectorIds ?? [])])
  return {
    model: answers,
    modelId: model?.id ?? null,
    assistantId: assistant?.id ?? null,
    folderIds: asked.map(({ id }) => id),
    sending: getSending(
      answers,
      folders.filter(({ id }) => read.has(id)),
    ),
  }
}

const stripAt = (given: string): string => given.replace(/^@/, "")

/** Assistants can also be named by their handles. */
const addHandles = (assistants: AssistantEntry[]) =>
  assistants.flatMap((assistant) =>
    assistant.name.toLowerCase() === assistant.handle
      ? [assistant]
      : [assistant, { ...assistant, name: assistant.handle }],
  )

const list = new Intl.ListFormat("en")

function getSending(model: AnsweringModel | null, read: FolderEntry[]): string | null {
  if (model === null || model.server === null || read.length === 0) return null
  const called = `${model.name} (${model.server})`
  const staying = read.filter(({ remote }) => remote === "never")
  const names = list.format((staying.length > 0 ? staying : read).map(({ name }) => name))
  if (staying.length === 0) return `Passages of ${names} are sent to ${called}.`
  const verb = staying.length === 1 ? "stays" : "stay"
  return `${names} ${verb} on this computer, so ${called} isn't used. Choose a model on this computer with --model.`
}
