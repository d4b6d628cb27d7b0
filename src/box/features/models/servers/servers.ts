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

export type ModelServers = ReturnType<typeof createModelServers>

/** OpenAI-compatible servers that owners added. A server's key is sent only to the origin for which it was entered. */
export function createModelServers({ db, secrets, outbound, changed }: ModelServersDeps) {
  const store = createServerStore(db)
  const keys = createServerKeys(secrets)
  const lock = createKeyedLock()
  const runExclusive = <T>(task: () => Promise<T>) => lock.run("servers", task)

  const getOptions = (server: Pick<StoredServer, "id" | "name" | "url">): ServerOptions => ({
    name: server.name,
    baseUrl: server.url,
    apiKey: () => keys.of(server),
    outbound,
  })

  function requireAllowed(url: string): void {
    const refusal = outbound.refusal(url)
    if (refusal) throw refusal
  }

  async function queryServer(server: StoredServer): Promise<StoredServer> {
    const [{ connectToServer }, { askServer }] = await Promise.all([
      import("../../../engines/remote/server-connection.ts"),
      import("./ask-server.ts"),
    ])
    const connection = connectToServer(getOptions(server), "chat-model")
    return { ...server, ...(await askServer(connection, server.givenModels, server.models)) }
  }

  async function require(id: string): Promise<StoredServer> {
    const server = await store.find(id)
    if (server === null) throw serverNotFound()
    return server
  }

  const show = async (server: StoredServer): Promise<ModelServer> =>
    toShown(server, (await keys.known())(server))

  /** Stores changes to an existing server and reports them. */
  async function replace(before: StoredServer, after: StoredServer, isOther = false): Promise<ModelServer> {
    if (!(await store.update(after))) throw serverNotFound()
    await changed(after.id, isOther || !isDeepStrictEqual(before, after) ? "other" : "same")
    return show(after)
  }

  const sweepKeys = async () =>
    keys.sweep([...(await store.list()), ...(await store.held())].map(({ id }) => id))

  /** Returns the model with this ID for requests, listed or not; null if its server doesn't exist. */
  async function connect(modelId: string): Promise<ReachableModel | null> {
    const parsed = parseServerModelId(modelId)
    const server = parsed && (await store.find(parsed.serverId))
    if (!server) return null
    const listed = toModels(server).find(({ name }) => name === parsed.name)
    const model = listed ?? { id: modelId, name: parsed.name, contextSize: null, vision: null }
    return { ...model, isListed: listed !== undefined, server: getOptions(server) }
  }

  return {
    async list(): Promise<ModelServer[]> {
      const servers = await store.list()
      if (servers.length === 0) return []
      const hasKey = await keys.known()
      return servers.map((server) => toShown(server, hasKey(server)))
    },

    /** Throws `local_only`, or `conflict` if there are too many servers. */
    add: ({ name, url, apiKey, models: givenModels = [] }: ServerDraft): Promise<ModelServer> =>
      runExclusive(async () => {
        requireAllowed(url)
        if ((await store.list()).length >= maxServers)
          throw new AppError("conflict", sentence("models.too_many_servers", { count: maxServers }))
        const server = { ...unasked, id: newId(), name, url, givenModels, createdAt: timestamp() }
        if (apiKey != null) await keys.set(server, apiKey)
        const answered = await queryServer(server)
        await store.insert(answered)
        return show(answered)
      }),

    /** Throws `not_found` or `local_only`. A key stays with the origin for which it was entered. */
    update: (id: string, { name, url, apiKey, models }: ServerPatch): Promise<ModelServer> =>
      runExclusive(async () => {
        const before = await require(id)
        if (url !== undefined) requireAllowed(url)
        const after = {
          ...before,
          ...(name === undefined ? {} : { name }),
          ...(url === undefined ? {} : { url }),
          ...(models === undefined ? {} : { givenModels: models }),
        }
        if (apiKey != null) await keys.set(after, apiKey)
        if (apiKey === null) await keys.removeOtherKeys(after, false)
        const isNameOnly = url === undefined && apiKey === undefined && models === undefined
        const answered = isNameOnly || outbound.refusal(after.url) ? after : await queryServer(after)
        const shown = await replace(before, answered, apiKey !== undefined)
        await keys.removeOtherKeys(after, apiKey !== null)
        return shown
      }),

    /** Throws `not_found` or `local_only`. */
    refresh: (id: string): Promise<ModelServer> =>
      runExclusive(async () => {
        const server = await require(id)
        requireAllowed(server.url)
        return replace(server, await queryServer(server))
      }),

    /** Throws `not_found`. */
    remove: (id: string): Promise<void> =>
      runExclusive(async () => {
        const server = await require(id)
        if (!(await store.remove(id))) throw serverNotFound()
        await changed(id, { gone: sentence("models.server_gone", { server: server.name }) })
        await sweepKeys()
      }),

    held: {
      list: async () =>
        (await store.held()).map(({ id, name, url }) => ({
          kind: "model_server",
          id,
          ownerId: null,
          name,
          does: url,
          trigger: null,
        })),
      turnOn: (id) =>
        runExclusive(async () => {
          await store.release(id)
          await changed(id, "other")
        }),
      leaveOff: (id) =>
        runExclusive(async () => {
          await store.remove(id)
          await sweepKeys()
        }),
    } satisfies HeldItems,

    /** All models of all servers, each with its server. */
    async models(): Promise<(ServerModel & { server: { id: string; name: string; host: string } })[]> {
      return (await store.list()).flatMap((server) => {
        const { id, name, url } = server
        return toModels(server).map((model) => ({ ...model, server: { id, name, host: new URL(url).host } }))
      })
    },

    /** Whether a server lists the model with this ID, or an owner entered it. */
    async has(modelId: string): Promise<boolean> {
      return (await connect(modelId))?.isListed === true
    },

    connect,

    /** Deletes the keys of servers that were being added or removed when the process was killed. */
    async sweep(): Promise<void> {
      await runExclusive(sweepKeys)
    },
  }
}

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
