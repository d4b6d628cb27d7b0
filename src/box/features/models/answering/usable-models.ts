import type { ChatEngine } from "../../../engines/engine.ts"
import type { InstalledModels } from "../model-files.ts"
import { getModelId, isServerModel, type OpenModelChoice } from "../model-choice.ts"
import type { ModelServers } from "../servers/servers.ts"
import type { ChatModels } from "./models-in-use.ts"

/** A model that can write answers. */
export interface UsableModel {
  /** The name for clients of `/api/v1`. */
  name: string
  id: string
  /** The path of its file, or the ID of a server's model. */
  reference: string
  kind: "local" | "server"
  /** Name of its server; `local` for a file, `remote` for a URL given by a flag. */
  owner: string
  /** Host to which requests are sent; null for a file. */
  host: string | null
}

type ChosenModel = Omit<UsableModel, "id" | "owner" | "host">

/** The chat models that people and their programs can name. */
export function createUsableModels(
  installed: Pick<InstalledModels, "list">,
  servers: Pick<ModelServers, "models">,
  choice: Pick<OpenModelChoice, "activeModel">,
  chatModels: Pick<ChatModels, "engine" | "of">,
) {
  /** The chosen model. It doesn't have to be one of the others, because a flag may name any model. */
  function chosen(): ChosenModel | null {
    const reference = choice.activeModel("chat")
    const engine = chatModels.engine()
    if (reference === null || engine === null) return null
    if (isServerModel(reference)) return { name: reference, reference, kind: "server" }
    return { name: engine.model.id, reference, kind: engine.model.kind === "local" ? "local" : "server" }
  }

  /** The chosen model comes first. A file whose name is taken is listed under its ID. */
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
      all.unshift({ ...toUsableModel(first), ...(known && { owner: known.owner, host: known.host }) })
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
    /** Finds a model by its ID or name; null if there is none. */
    find,
    has: async (named: string): Promise<boolean> => (await find(named)) !== null,
    /** Opens the model with this ID or name; null if there is none. */
    async open(named: string): Promise<ChatEngine | null> {
      const model = await find(named)
      return model && chatModels.of(model.reference)
    },
    /**
     * Like `find`, but falls back to the chosen model; null without either. Names of the chosen model are resolved without listing the
     * others.
     */
    async findOrChosen(named: string | undefined): Promise<UsableModel | null> {
      const first = chosen()
      const usual = first && toUsableModel(first)
      if (named === undefined || named === usual?.name || named === usual?.id) return usual
      return (await find(named)) ?? usual
    },
  }
}

const toUsableModel = (chosen: ChosenModel): UsableModel => ({
  ...chosen,
  id: getModelId(chosen.reference),
  owner: chosen.kind === "local" ? "local" : "remote",
  host: chosen.kind === "server" && URL.canParse(chosen.reference) ? new URL(chosen.reference).host : null,
})
