import { networkInterfaces } from "node:os"
import { join } from "node:path"
import {
  type Computer,
  type ConnectedModel,
  type DownloadRequest,
  type FoundModel,
  type InstalledModel,
  type ModelChoice,
  type ModelDownload,
  type ModelRole,
  ModelSource,
  type OfferedModel,
  roleFor,
} from "../../../shared/contract/models.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import { freeMemory, totalMemory } from "../../engines/llama/computer.ts"
import { readCatalogue, offerModels } from "./catalogue.ts"
import type { Downloads } from "./downloads/downloads.ts"
import { findModels, type InstalledModels, type ModelFile, type ProgramFolder } from "./model-files.ts"
import { type Choosable, type OpenModelChoice, isServerModel, getModelId } from "./model-choice.ts"
import type { ModelServers } from "./servers/servers.ts"
import { freeBytes } from "../../core/disk/disk-space.ts"

export interface ModelsDeps {
  dataDir: string
  /** Download directory. */
  directory: string
  installed: InstalledModels
  servers: Pick<ModelServers, "models" | "has">
  choice: OpenModelChoice
  downloads: Downloads
  programFolders: readonly ProgramFolder[]
  gpuBytes(): number
  /** Result of trying the GPU; null if it hasn't been tried yet. */
  gpuTrial(): Computer["gpu"]
  gpuSupport(): Pick<Computer, "gpuBackends" | "addCudaCommand">
  /** Makes the next loaded model try the GPU again. */
  tryGpuAgain(): void
}

/** The models of this computer: recommended, installed and in use. */
export function createModels(deps: ModelsDeps) {
  const { dataDir, directory, installed, servers, choice, downloads } = deps
  const lock = createKeyedLock()
  /** Runs changes of installed and used models one at a time. */
  const runExclusive = <T>(task: () => Promise<T>) => lock.run("models", task)
  const show = (model: ModelFile): InstalledModel => ({
    ...model,
    kind: "local",
    usedAs: choice.getRole(model.path),
  })
  const getTarget = ({ repo, file }: ModelSource) => join(directory, ...repo.split("/"), ...file.split("/"))

  async function choosable(id: string): Promise<Choosable> {
    if (!isServerModel(id)) return fileChoice(await installed.find(id))
    if (!(await servers.has(id))) throw new AppError("not_found", sentence("models.no_such_model"))
    // Servers don't report what their models are for.
    return { reference: id, roles: ["chat", "embedding"] }
  }

  return {
    async list(): Promise<{ models: (InstalledModel | ConnectedModel)[]; choice: ModelChoice }> {
      const files = (await installed.list()).map(show)
      const connected = (await servers.models()).map((model) => ({
        ...model,
        kind: "server" as const,
        usedAs: choice.getRole(model.id),
      }))
      return { models: [...files, ...connected], choice: choice.current() }
    },

    async catalogue(): Promise<{ models: OfferedModel[]; computer: Computer }> {
      const installedIds = new Set((await installed.list()).map(({ id }) => id))
      const computer = { ...(await measure(dataDir)), gpu: deps.gpuTrial(), ...deps.gpuSupport() }
      const models = offerModels(
        await readCatalogue(dataDir),
        { ...computer, gpuBytes: deps.gpuBytes() },
        (model) => {
          const id = getModelId(getTarget(model))
          return installedIds.has(id) ? id : null
        },
      )
      return { models, computer }
    },

    tryGpuAgain: () => deps.tryGpuAgain(),

    async found(): Promise<FoundModel[]> {
      const known = new Set((await installed.list()).map(({ path }) => path))
      return (await findModels(deps.programFolders)).filter(({ path }) => !known.has(path))
    },

    add: (path: string): Promise<InstalledModel> =>
      runExclusive(async () => {
        const found = (await findModels(deps.programFolders)).find((model) => model.path === path)
        return show(await installed.add(path, found?.name ?? null))
      }),

    /** Throws `conflict` while the model is in use. */
    remove: (id: string): Promise<void> =>
      runExclusive(async () => {
        const model = await installed.find(id)
        if (choice.getRole(model.path)) {
          throw new AppError("conflict", sentence("models.in_use"))
        }
        await installed.remove(model)
      }),

    choose: (role: ModelRole, id: string | null): Promise<ModelChoice> =>
      runExclusive(async () => {
        await choice.choose(role, id === null ? null : await choosable(id))
        return choice.current()
      }),

    /** Gives a model its role if no other model has it. */
    useIfFree: (path: string): Promise<void> =>
      runExclusive(async () => {
        const model = await installed.find(getModelId(path))
        const role = roleFor(model.purpose)
        if (role && choice.activeModel(role) === null) await choice.choose(role, fileChoice(model))
      }),

    downloads: (): ModelDownload[] => downloads.list(),
    pause: (id: string) => downloads.pause(id),
    resume: (id: string) => downloads.resume(id),
    cancel: (id: string) => downloads.cancel(id),

    async download({ catalogueId, use, ...wanted }: DownloadRequest): Promise<ModelDownload> {
      if (catalogueId === undefined) return downloads.begin(ModelSource.parse(wanted), use)
      const model = (await readCatalogue(dataDir)).find(({ id }) => id === catalogueId)
      if (!model) throw new AppError("not_found", sentence("models.not_in_catalogue"))
      return downloads.begin(model, use)
    },
  }
}

function fileChoice({ path, purpose, problem, sentence: said }: ModelFile): Choosable {
  const role = roleFor(purpose)
  return { reference: path, roles: role === undefined ? [] : [role], problem, sentence: said }
}

export type Models = ReturnType<typeof createModels>

async function measure(dataDir: string): Promise<Omit<Computer, "gpu" | "gpuBackends" | "addCudaCommand">> {
  return {
    memoryBytes: totalMemory(),
    freeMemoryBytes: freeMemory(),
    freeDiskBytes: await freeBytes(dataDir),
    online: Object.values(networkInterfaces()).some((addresses) =>
      addresses?.some(({ internal }) => !internal),
    ),
  }
}
