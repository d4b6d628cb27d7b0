import { isDeepStrictEqual } from "node:util"
import type {
  ModelServer,
  ServerDraft,
  ServerModel,
  ServerPatch,
} from "../../../../shared/contract/model-servers.ts"
import { parseServerModelId, serverModelId } from "../../../../shared/contract/server-model-id.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import type { HeldItems } from "../../../core/held-items.ts"
import { newId, timestamp } from "../../../core/ids.ts"
import type { Outbound } from "../../../core/outbound/outbound.ts"
import type { SecretStore } from "../../../core/secret-store.ts"
import { createKeyedLock } from "../../../core/waiting/locks.ts"
import type { ServerOptions } from "../../../engines/remote/server-connection.ts"
import type { ModelChange } from "../answering/models-in-use.ts"
import { createServerKeys, createServerStore, type StoredServer } from "./server-store.ts"

const maxServers = 50

export interface ModelServersDeps {
  db: DbOf<"models">
  secrets: SecretStore
  outbound: Pick<Outbound, "fetch" | "refusal">
  /** Called when a server's URL, key or models may have changed, or the server is gone. Its models must then be opened again. */
  changed(serverId: string, change: ModelChange): Promise<void>
}

/** A server's model, ready for requests. */
export interface ReachableModel extends ServerModel {
  server: ServerOptions
  /** Whether its server is known to have the model. */
  isListed: boolean
}

class ModelServers {
  readonly #deps: ModelServersDeps
  readonly #store: ReturnType<typeof createServerStore>
  readonly #keys: ReturnType<typeof createServerKeys>
  readonly #lock = createKeyedLock()

  constructor(deps: ModelServersDeps) {
    this.#deps = deps
    this.#store = createServerStore(deps.db)
    this.#keys = createServerKeys(deps.secrets)
  }

  async list(): Promise<ModelServer[]> {
    const servers = await this.#store.list()
    if (servers.length === 0) return []
    const hasKey = await this.#keys.known()
    return servers.map((server) => toShown(server, hasKey(server)))
  }

  /** Throws `local_only`, or `conflict` if there are too many servers. */
  add({ name, url, apiKey, models: givenModels = [] }: ServerDraft): Promise<ModelServer> {
    return this.#runExclusive(async () => {
      this.#requireAllowed(url)
      if ((await this.#store.list()).length >= maxServers)
        throw new AppError("conflict", sentence("models.too_many_servers", { count: maxServers }))
      const server = { ...unasked, id: newId(), name, url, givenModels, createdAt: timestamp() }
      if (apiKey != null) await this.#keys.set(server, apiKey)
      const answered = await this.#query(server)
      await this.#store.insert(answered)
      return this.#show(answered)
    })
  }

  /** Throws `not_found` or `local_only`. A key stays with the origin for which it was entered. */
  update(id: string, { name, url, apiKey, models }: ServerPatch): Promise<ModelServer> {
    return this.#runExclusive(async () => {
      const before = await this.#require(id)
      if (url !== undefined) this.#requireAllowed(url)
      const after = {
        ...before,
        ...(name === undefined ? {} : { name }),
        ...(url === undefined ? {} : { url }),
        ...(models === undefined ? {} : { givenModels: models }),
      }
      if (apiKey != null) await this.#keys.set(after, apiKey)
      if (apiKey === null) await this.#keys.removeOtherKeys(after, false)
      const isNameOnly = url === undefined && apiKey === undefined && models === undefined
      const answered = isNameOnly || this.#deps.outbound.refusal(after.url) ? after : await this.#query(after)
      const hasChanged = apiKey !== undefined || !isDeepStrictEqual(before, answered)
      const shown = await this.#replace(answered, hasChanged)
      await this.#keys.removeOtherKeys(after, apiKey !== null)
      return shown
    })
  }

  /** Throws `not_found` or `local_only`. */
  refresh(id: string): Promise<ModelServer> {
    return this.#runExclusive(async () => {
      const server = await this.#require(id)
      this.#requireAllowed(server.url)
      const answered = await this.#query(server)
      return this.#replace(answered, !isDeepStrictEqual(server, answered))
    })
  }

  /** Throws `not_found`. */
  remove(id: string): Promise<void> {
    return this.#runExclusive(async () => {
      const server = await this.#require(id)
      if (!(await this.#store.remove(id))) throw serverNotFound()
      await this.#deps.changed(id, { gone: sentence("models.server_gone", { server: server.name }) })
      await this.#sweepKeys()
    })
  }

  readonly held: HeldItems = {
    list: async () =>
      (await this.#store.held()).map(({ id, name, url }) => ({
        kind: "model_server",
        id,
        ownerId: null,
        name,
        does: url,
        trigger: null,
      })),
    turnOn: (id) =>
      this.#runExclusive(async () => {
        await this.#store.release(id)
        await this.#deps.changed(id, "other")
      }),
    leaveOff: (id) =>
      this.#runExclusive(async () => {
        await this.#store.remove(id)
        await this.#sweepKeys()
      }),
  }

  /** All models of all servers, each with its server. */
  async models(): Promise<(ServerModel & { server: { id: string; name: string; host: string } })[]> {
    return (await this.#store.list()).flatMap((server) => {
      const { id, name, url } = server
      return toModels(server).map((model) => ({ ...model, server: { id, name, host: new URL(url).host } }))
    })
  }

  /** Whether a server lists the model with this ID, or an owner entered it. */
  async has(modelId: string): Promise<boolean> {
    return (await this.connect(modelId))?.isListed === true
  }

  /** Returns the model with this ID for requests, listed or not; null if its server doesn't exist. */
  async connect(modelId: string): Promise<ReachableModel | null> {
    const parsed = parseServerModelId(modelId)
    const server = parsed && (await this.#store.find(parsed.serverId))
    if (!server) return null
    const listed = toModels(server).find(({ name }) => name === parsed.name)
    const model = listed ?? { id: modelId, name: parsed.name, contextSize: null, vision: null }
    return { ...model, isListed: listed !== undefined, server: this.#getOptions(server) }
  }

  /** Deletes the keys of servers that were being added or removed when the process was killed. A bound function for the steps of the start. */
  readonly sweep = async (): Promise<void> => {
    await this.#runExclusive(() => this.#sweepKeys())
  }

  #runExclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#lock.run("servers", task)
  }

  #getOptions(server: Pick<StoredServer, "id" | "name" | "url">): ServerOptions {
    return {
      name: server.name,
      baseUrl: server.url,
      apiKey: () => this.#keys.of(server),
      outbound: this.#deps.outbound,
    }
  }

  #requireAllowed(url: string): void {
    const refusal = this.#deps.outbound.refusal(url)
    if (refusal) throw refusal
  }

  async #query(server: StoredServer): Promise<StoredServer> {
    const [{ connectToServer }, { askServer }] = await Promise.all([
      import("../../../engines/remote/server-connection.ts"),
      import("./ask-server.ts"),
    ])
    const connection = connectToServer(this.#getOptions(server), "chat-model")
    return { ...server, ...(await askServer(connection, server.givenModels, server.models)) }
  }

  async #require(id: string): Promise<StoredServer> {
    const server = await this.#store.find(id)
    if (server === null) throw serverNotFound()
    return server
  }

  async #show(server: StoredServer): Promise<ModelServer> {
    return toShown(server, (await this.#keys.known())(server))
  }

  /** Stores an existing server and reports it. */
  async #replace(server: StoredServer, hasChanged: boolean): Promise<ModelServer> {
    if (!(await this.#store.update(server))) throw serverNotFound()
    await this.#deps.changed(server.id, hasChanged ? "other" : "same")
    return this.#show(server)
  }

  async #sweepKeys(): Promise<void> {
    const servers = [...(await this.#store.list()), ...(await this.#store.held())]
    await this.#keys.sweep(servers.map(({ id }) => id))
  }
}

export type { ModelServers }

/** OpenAI-compatible servers that owners added. A server's key is sent only to the origin for which it was entered. */
export const createModelServers = (deps: ModelServersDeps): ModelServers => new ModelServers(deps)

const unasked = { state: "unknown", problem: null, models: [] } as const

const serverNotFound = () => new AppError("not_found", sentence("models.no_such_server"))

const toModels = ({ id, models }: StoredServer): ServerModel[] =>
  models.map((model) => ({ id: serverModelId(id, model.name), ...model }))

function toShown(server: StoredServer, hasKey: boolean): ModelServer {
  const { id, name, url, state, problem, createdAt } = server
  return {
    id,
    name,
    url,
    hasKey,
    state,
    problem: problem?.text ?? null,
    ...(problem?.sentence && { sentence: problem.sentence }),
    models: toModels(server),
    createdAt,
  }
}
