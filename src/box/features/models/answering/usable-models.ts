import type { InstalledModels } from "../installed-models.ts"
import { modelIdOf } from "../model-id.ts"
import type { ModelServers } from "../servers/servers.ts"

/** A model that answers may be written by. */
export interface UsableModel {
  /** What clients of `/api/v1` call it. */
  name: string
  id: string
  /** The path of its file, or the id of a server's model. */
  reference: string
  kind: "local" | "server"
  /** Name of its server; `local` for a file, `remote` for an address that a flag names. */
  owner: string
  /** Where what it is asked is sent; null for a file. */
  host: string | null
}

type ChosenModel = Omit<UsableModel, "id" | "owner" | "host">

export interface UsableModelsDeps {
  installed: Pick<InstalledModels, "list">
  servers: Pick<ModelServers, "models">
  /** The chosen model, which need not be one of the others: a flag may name any. */
  chosen(): ChosenModel | null
}

/** The chat models that people and their programs may name. */
export function createUsableModels({ installed, servers, chosen }: UsableModelsDeps) {
  /** The chosen one first. A file whose name another one has goes by its id. */
  async function list(): Promise<UsableModel[]> {
    const first = chosen()
    const files = (await installed.list()).filter(({ purpose }) => purpose === "chat")
    const all: UsableModel[] = [
      ...files.map(({ id, name, path }) => ({
        id,
        name,
        reference: path,
        kind: "local" as const,
        owner: "local",
        host: null,
      })),
      ...(await servers.models()).map(({ id, server }) => ({
        id,
        name: id,
        reference: id,
        kind: "server" as const,
        owner: server.name,
        host: server.host,
      })),
    ]
    if (first) {
      const listed = all.findIndex(({ reference }) => reference === first.reference)
      const [known] = listed === -1 ? [] : all.splice(listed, 1)
      all.unshift({ ...withId(first), ...(known && { owner: known.owner, host: known.host }) })
    }
    const taken = new Set<string>()
    return all.map((model) => {
      const name = taken.has(model.name) ? model.id : model.name
      taken.add(name)
      return { ...model, name }
    })
  }

  async function find(named: string): Promise<UsableModel | null> {
    const models = await list()
    return models.find(({ id }) => id === named) ?? models.find(({ name }) => name === named) ?? null
  }

  return {
    list,
    /** By its id or its name; null where there is none of that name. */
    find,
    /** The chosen one where there is none of that name; null without either. Names of it are told without a look at the others. */
    async findOrChosen(named: string | undefined): Promise<UsableModel | null> {
      const first = chosen()
      const usual = first && withId(first)
      if (named === undefined || named === usual?.name || named === usual?.id) return usual
      return (await find(named)) ?? usual
    },
  }
}

const withId = (chosen: ChosenModel): UsableModel => ({
  ...chosen,
  id: modelIdOf(chosen.reference),
  owner: chosen.kind === "local" ? "local" : "remote",
  host: chosen.kind === "server" && URL.canParse(chosen.reference) ? new URL(chosen.reference).host : null,
})
