import type { Selectable } from "kysely"
import { z } from "zod"
import { ServerAddress, ServerModel, type ServerState } from "../../../../shared/contract/model-servers.ts"
import { AppError } from "../../../../shared/contract/errors.ts"
import { SentenceBody } from "../../../../shared/contract/sentence.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../../core/database/database.ts"
import { readStored } from "../../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../../core/database/table-owners.ts"
import type { SecretStore } from "../../../core/secret-store.ts"

const namespace = "modelServer"

/**
 * Keys of model servers in the secret store, each under its server's ID and the origin for which it was entered. A key is never sent to
 * another origin, even if a restored backup or an interrupted change names a different URL.
 */
export interface ServerKeys {
  of(server: Address): Promise<string | null>
  /** Returns a function that tells whether a server has a key. */
  known(): Promise<(server: Address) => boolean>
  set(server: Address, key: string): Promise<void>
  /** Deletes the server's keys, except the one for its current URL if `keep` is true. */
  removeOtherKeys(server: Address, keep: boolean): Promise<void>
  /** Deletes the keys of servers that no longer exist. */
  sweep(ids: readonly string[]): Promise<void>
}

interface Address {
  id: string
  url: string
}

export function createServerKeys(secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">): ServerKeys {
  const getName = ({ id, url }: Address) => `${namespace}/${id}/${new URL(url).origin}`
  const remove = async (goes: (name: string, id: string) => boolean) => {
    for (const name of await secrets.names()) {
      const [kind, id = ""] = name.split("/")
      if (kind === namespace && goes(name, id)) await secrets.delete(name)
    }
  }

  return {
    of: (server) => secrets.get(getName(server)),
    async known() {
      const names = new Set(await secrets.names())
      return (server) => names.has(getName(server))
    },
    set: (server, key) => secrets.set(getName(server), key),
    removeOtherKeys: (server, keep) =>
      remove((name, id) => id === server.id && !(keep && name === getName(server))),
    sweep: (ids) => remove((_, id) => !ids.includes(id)),
  }
}

/** Result of querying a server. */
export interface ServerNews {
  state: ServerState
  problem: { text: string; sentence?: SentenceBody | undefined } | null
  models: readonly Omit<ServerModel, "id">[]
}

/** A server as it is stored, without its key. */
export interface StoredServer extends ServerNews {
  id: string
  name: string
  url: string
  /** Names of models that an owner entered. */
  givenModels: readonly string[]
  createdAt: string
}

const Names = z.array(z.string())
const Models = z.array(ServerModel.omit({ id: true }))
const Problem = z.object({ text: z.string(), sentence: SentenceBody.optional() })

export function createServerStore(db: DbOf<"models">) {
  return {
    async list(): Promise<StoredServer[]> {
      const rows = await db
        .selectFrom("modelServers")
        .selectAll()
        .where("held", "=", 0)
        .orderBy("createdAt")
        .orderBy("id")
        .execute()
      return rows.filter(hasValidUrl).map(toServer)
    },

    async find(id: string): Promise<StoredServer | null> {
      const row = await db
        .selectFrom("modelServers")
        .selectAll()
        .where("id", "=", id)
        .where("held", "=", 0)
        .executeTakeFirst()
      return row !== undefined && hasValidUrl(row) ? toServer(row) : null
    },

    /**
     * Held servers of a restored backup, and servers with an invalid URL, which only an altered backup contains. No other method returns
     * them until an owner turns them on.
     */
    async held(): Promise<Pick<StoredServer, "id" | "name" | "url">[]> {
      const rows = await db
        .selectFrom("modelServers")
        .select(["id", "name", "url", "held"])
        .orderBy("createdAt")
        .orderBy("id")
        .execute()
      return rows
        .filter((row) => row.held === 1 || !hasValidUrl(row))
        .map(({ id, name, url }) => ({ id, name, url }))
    },

    /** Throws `unprocessable` for a server with an invalid URL. */
    async release(id: string): Promise<void> {
      const row = await db.selectFrom("modelServers").select("url").where("id", "=", id).executeTakeFirst()
      if (row && !hasValidUrl(row)) throw new AppError("unprocessable", sentence("models.invalid_address"))
      await db.updateTable("modelServers").set({ held: 0 }).where("id", "=", id).execute()
    },

    async insert(server: StoredServer): Promise<void> {
      await db.insertInto("modelServers").values(toRow(server)).execute()
    },

    /** Returns false if the server no longer exists. */
    async update(server: StoredServer): Promise<boolean> {
      const { id, ...columns } = toRow(server)
      const { numUpdatedRows } = await db
        .updateTable("modelServers")
        .set(columns)
        .where("id", "=", id)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await db.deleteFrom("modelServers").where("id", "=", id).executeTakeFirst()
      return numDeletedRows > 0n
    },
  }
}

const hasValidUrl = ({ url }: { url: string }): boolean => ServerAddress.safeParse(url).success

type Row = Omit<Selectable<TablesOf<"models">["modelServers"]>, "held">

const toRow = ({ givenModels, models, problem, ...plain }: StoredServer): Row => ({
  ...plain,
  givenModels: JSON.stringify(givenModels),
  models: JSON.stringify(models),
  problem: problem && JSON.stringify(problem),
})

const toServer = ({ id, name, url, state, createdAt, givenModels, models, problem }: Row): StoredServer => ({
  id,
  name,
  url,
  state,
  createdAt,
  givenModels: readStored(Names, givenModels) ?? [],
  models: readStored(Models, models) ?? [],
  problem: problem === null ? null : (readStored(Problem, problem) ?? null),
})

/** Holds all model servers in a database restored from a backup until an owner turns them on. */
export async function holdModelServers(db: DbOf<"models">): Promise<void> {
  await db.updateTable("modelServers").set({ held: 1 }).execute()
}
