import { readdir, realpath, rm } from "node:fs/promises"
import { basename, isAbsolute, join, relative, sep } from "node:path"
import type { InstalledModel } from "../../../shared/contract/model-files.ts"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { resolveInside, typedPath } from "../../core/files/path-jail.ts"
import { lazy } from "../../core/lazy.ts"
import { getModelId } from "./model-id.ts"
import type { ModelStore } from "./model-store.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"

const maxAdopted = 200

export interface InstalledModelsDeps {
  /** Download directory; everything in it belongs to the server. */
  directory: string
  store: Pick<ModelStore, "adopted" | "setAdopted">
}

/** A model file, without the role that it is used for. */
export type ModelFile = Omit<InstalledModel, "usedAs" | "kind">

/** The model files that can be used: downloaded ones, and other files that were added by their path. */
export function createInstalledModels({ directory, store }: InstalledModelsDeps) {
  const inspector = lazy(async () => (await import("./inspect-model.ts")).createModelInspector())

  async function describe(path: string, name: string, origin: ModelFile["origin"]): Promise<ModelFile> {
    const inspect = await inspector()
    return { id: getModelId(path), name, path, origin, ...(await inspect(path)) }
  }

  /** Follows no symbolic links, which can lead to someone else's files or in circles. Their targets can be added by their own path. */
  async function listModelPaths(): Promise<string[]> {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return []
        throw error
      },
    )
    const files = entries.filter((entry) => entry.isFile() && /\.gguf$/i.test(entry.name))
    return files.map((file) => join(file.parentPath, file.name)).toSorted()
  }

  async function list(): Promise<ModelFile[]> {
    const models: ModelFile[] = []
    for (const path of await listModelPaths()) models.push(await describe(path, getName(path), "downloaded"))
    for (const { path, name } of await store.adopted()) models.push(await describe(path, name, "adopted"))
    return models
  }

  async function find(id: string): Promise<ModelFile> {
    const model = (await list()).find((candidate) => candidate.id === id)
    if (model) return model
    throw new AppError("not_found", sentence("models.none_such"))
  }

  return {
    list,
    find,

    /** Throws `validation` if there is no model file at the path. Adding a known path changes nothing. */
    async add(given: string, name: string | null): Promise<ModelFile> {
      const typed = typedPath(given)
      if (!isAbsolute(typed)) throw invalidField("path", sentence("models.path_not_whole"))
      const path = await realpath(typed).catch(() => {
        throw invalidField("path", sentence("models.no_file"))
      })
      const known = (await list()).find((model) => model.path === path)
      if (known) return known
      const model = await describe(path, name ?? getName(path), "adopted")
      if (model.problem !== undefined)
        throw invalidField("path", Sentence.asIs(model.problem, model.sentence))
      const adopted = await store.adopted()
      if (adopted.length >= maxAdopted) throw new AppError("conflict", sentence("models.too_many"))
      await store.setAdopted([...adopted, { path, name: model.name }])
      return model
    },

    /** Deletes a downloaded file; only removes other files from the list. Throws `not_found` if a symbolic link now leads to the file. */
    async remove(model: ModelFile): Promise<void> {
      if (model.origin === "downloaded")
        await rm(await resolveInside(directory, relative(directory, model.path).split(sep)), { force: true })
      else await store.setAdopted((await store.adopted()).filter(({ path }) => path !== model.path))
    },
  }
}

export type InstalledModels = ReturnType<typeof createInstalledModels>

const getName = (path: string) => basename(path).replace(/\.gguf$/i, "")
