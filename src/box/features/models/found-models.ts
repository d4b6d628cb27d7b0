import { readdir, readFile, realpath, stat } from "node:fs/promises"
import { basename, dirname, join, relative } from "node:path"
import { z } from "zod"
import type { FoundModel } from "../../../shared/contract/model-files.ts"
import type { ProgramFolder } from "./program-folders.ts"

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
        : ggufFiles(directory, scan, (path) => getName(program, directory, path))
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
function getName(program: FoundModel["program"], root: string, path: string): string {
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
