import { readdir, readFile, realpath, stat, rm } from "node:fs/promises"
import { join, basename, dirname, relative, isAbsolute, sep } from "node:path"
import { z } from "zod"
import { AppError, invalidField } from "../../../shared/contract/errors.ts"
import type { FoundModel, InstalledModel } from "../../../shared/contract/models.ts"
import { Sentence } from "../../../shared/sentences/sentence.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { resolveInside, typedPath } from "../../core/files/path-jail.ts"
import { lazy } from "../../core/lazy.ts"
import { getModelId, type ModelStore } from "./model-choice.ts"

/** A directory in which another program keeps models. */
export interface ProgramFolder {
  program: FoundModel["program"]
  directory: string
}

interface Home {
  directory: string
  env: Record<string, string | undefined>
  platform: NodeJS.Platform
}

/** Directories in which common programs keep their GGUF files, according to their documentation. Most won't exist. */
export function programFolders({ directory, env, platform }: Home): ProgramFolder[] {
  const data =
    platform === "win32"
      ? (env["APPDATA"] ?? join(directory, "AppData", "Roaming"))
      : platform === "darwin"
        ? join(directory, "Library", "Application Support")
        : (env["XDG_DATA_HOME"] ?? join(directory, ".local", "share"))
  const localData = platform === "win32" ? (env["LOCALAPPDATA"] ?? join(directory, "AppData", "Local")) : data
  const cache =
    platform === "win32"
      ? localData
      : platform === "darwin"
        ? join(directory, "Library", "Caches")
        : (env["XDG_CACHE_HOME"] ?? join(directory, ".cache"))
  const huggingFace =
    env["HF_HUB_CACHE"] ??
    join(env["HF_HOME"] ?? join(env["XDG_CACHE_HOME"] ?? join(directory, ".cache"), "huggingface"), "hub")
  const folders: ProgramFolder[] = [
    { program: "LM Studio", directory: join(directory, ".lmstudio", "models") },
    { program: "LM Studio", directory: join(directory, ".cache", "lm-studio", "models") },
    { program: "Jan", directory: join(data, "Jan", "data", "llamacpp", "models") },
    { program: "Jan", directory: join(data, "Jan", "data", "models") },
    { program: "Jan", directory: join(directory, "jan", "models") },
    { program: "GPT4All", directory: join(localData, "nomic.ai", "GPT4All") },
    { program: "Hugging Face", directory: huggingFace },
    { program: "llama.cpp", directory: env["LLAMA_CACHE"] ?? join(cache, "llama.cpp") },
    { program: "Ollama", directory: env["OLLAMA_MODELS"] ?? join(directory, ".ollama", "models") },
  ]
  if (platform === "linux") {
    folders.push({ program: "Ollama", directory: "/usr/share/ollama/.ollama/models" })
  }
  return folders
}

const limits = { depth: 6, entries: 20_000, models: 200, manifestBytes: 100_000 }

/** One search through all folders. It stops after a maximum number of directory entries, however large the folders are. */
interface ModelScan {
  entries: number
  models: FoundModel[]
  /** Real paths, because some programs link to each other's files. */
  seen: Set<string>
}

/** GGUF files in other programs' folders that can be used in place. Unreadable folders are treated as empty. */
export async function findModels(folders: readonly ProgramFolder[]): Promise<FoundModel[]> {
  const scan: ModelScan = { entries: 0, models: [], seen: new Set() }
  for (const { program, directory } of folders) {
    const files =
      program === "Ollama"
        ? ollamaModels(directory, scan)
        : ggufFiles(directory, scan, (path) => getFoundName(program, directory, path))
    for await (const { name, path } of files) {
      if (scan.models.length >= limits.models) return scan.models
      await note(scan, { name, path, program })
    }
  }
  return scan.models
}

async function note(scan: ModelScan, file: Omit<FoundModel, "sizeBytes">): Promise<void> {
  const [real, stats] = await Promise.all([
    realpath(file.path).catch(() => null),
    stat(file.path).catch(() => null),
  ])
  if (real === null || !stats?.isFile() || scan.seen.has(real)) return
  scan.seen.add(real)
  scan.models.push({ ...file, path: real, sizeBytes: stats.size })
}

type NamedFile = Pick<FoundModel, "name" | "path">

async function* files(directory: string, scan: ModelScan): AsyncGenerator<string> {
  const waiting = [{ directory, depth: 0 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const here = next
    const entries = await readdir(here.directory, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (++scan.entries > limits.entries) return
      const path = join(here.directory, entry.name)
      if (!entry.isDirectory()) yield path
      else if (here.depth < limits.depth) waiting.push({ directory: path, depth: here.depth + 1 })
    }
  }
}

async function* ggufFiles(
  directory: string,
  scan: ModelScan,
  name: (path: string) => string,
): AsyncGenerator<NamedFile> {
  for await (const path of files(directory, scan)) {
    if (isWholeModel(basename(path))) yield { name: name(path), path }
  }
}

/** Parts of split models, and the image parts of some models, can't be used alone. */
const isWholeModel = (name: string) =>
  /\.gguf$/i.test(name) && !/mmproj/i.test(name) && !/-\d{5}-of-\d{5}\.gguf$/i.test(name)

/** Jan names every file `model.gguf`; its directory has the model's name. */
function getFoundName(program: FoundModel["program"], root: string, path: string): string {
  const name = basename(path).replace(/\.gguf$/i, "")
  return program === "Jan" && name === "model" ? basename(relative(root, dirname(path))) : name
}

const Manifest = z.object({ layers: z.array(z.object({ mediaType: z.string(), digest: z.string() })) })

/** Ollama names a model in a manifest, `manifests/HOST/NAMESPACE/MODEL/TAG`, and stores its file under its checksum. */
async function* ollamaModels(directory: string, scan: ModelScan): AsyncGenerator<NamedFile> {
  const manifests = join(directory, "manifests")
  for await (const path of files(manifests, scan)) {
    const stats = await stat(path).catch(() => null)
    if (!stats?.isFile() || stats.size > limits.manifestBytes) continue
    const manifest = Manifest.safeParse(parseJson(await readFile(path, "utf8").catch(() => "")))
    const layer = manifest.data?.layers.find(
      ({ mediaType }) => mediaType === "application/vnd.ollama.image.model",
    )
    if (!layer || !/^sha256:[0-9a-f]{64}$/.test(layer.digest)) continue
    const [, namespace, model, tag] = relative(manifests, path).split(/[\\/]/)
    const name = `${namespace === "library" ? "" : `${namespace}/`}${model}:${tag}`
    yield { name, path: join(directory, "blobs", layer.digest.replace(":", "-")) }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // not a manifest
  }
}

const maxAdopted = 200

/** A model file, without the role that it is used for. */
export type ModelFile = Omit<InstalledModel, "usedAs" | "kind">

/**
 * The model files that can be used: downloaded ones, and other files that were added by their path.
 * @param directory download directory; everything in it belongs to the server
 */
export function createInstalledModels(directory: string, store: Pick<ModelStore, "adopted" | "setAdopted">) {
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
