import { join, basename, dirname } from "node:path"
import { z } from "zod"
import shipped from "../../../../resources/models.json" with { type: "json" }
import { AppError } from "../../../shared/contract/errors.ts"
import {
  CatalogueModel,
  type Computer,
  type ModelPurpose,
  type OfferedModel,
} from "../../../shared/contract/models.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import { freeBytes } from "../../core/disk/disk-space.ts"
import { readSmallFile } from "../../core/files/file-contents.ts"
import { makeDirectoryInside } from "../../core/files/path-jail.ts"
import type { Logger } from "../../core/logging/logger.ts"

const Prompt = z.string().max(2_000)

/** Embedding models that were trained with a prefix before a question (`query`) and before a passage (`document`). */
const EmbeddingFamily = z.object({
  names: z
    .array(z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lowercase letters, digits and dashes"))
    .min(1),
  query: Prompt.default(""),
  document: Prompt.default(""),
})
export type EmbeddingFamily = z.infer<typeof EmbeddingFamily>

const Catalogue = z.object({
  models: z.array(CatalogueModel).max(1_000).default([]),
  embeddingFamilies: z.array(EmbeddingFamily).max(1_000).default([]),
})
type Catalogue = z.infer<typeof Catalogue>
const none: Catalogue = { models: [], embeddingFamilies: [] }

/**
 * The recommended models, best first within each purpose: first those from the owner's `models.json` in the data directory, then the
 * built-in ones. An entry of the owner replaces the built-in one with the same ID.
 *
 * @throws AppError `unprocessable` that names the problem in the owner's file.
 */
export async function readCatalogue(dataDir: string): Promise<CatalogueModel[]> {
  const { models } = await readOwn(join(dataDir, "models.json"))
  const ids = new Set(models.map(({ id }) => id))
  return [...models, ...Catalogue.parse(shipped).models.filter(({ id }) => !ids.has(id))]
}

/** Families of embedding models, those of the owner's catalogue first. If that catalogue can't be read, it is left out. */
export async function readEmbeddingFamilies(
  dataDir: string,
  logger: Pick<Logger, "warn">,
): Promise<EmbeddingFamily[]> {
  const own = await readOwn(join(dataDir, "models.json")).catch((error: unknown) => {
    logger.warn({ err: error }, "The embedding families of models.json can't be used")
    return none
  })
  return [...own.embeddingFamilies, ...Catalogue.parse(shipped).embeddingFamilies]
}

async function readOwn(path: string): Promise<Catalogue> {
  const text = await readSmallFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null
    if (error.code === "EISDIR") return "" // isn't JSON
    throw error
  })
  if (text === null) return none
  const read = Catalogue.safeParse(parseJson(text))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new AppError(
    "unprocessable",
    sentence("models.catalogue_invalid", { place: issue?.path.join(".") ?? "", what: issue?.message ?? "" }),
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError("unprocessable", sentence("models.catalogue_not_json"), { cause })
  }
}

/** Disk space kept free of models, so that the server can always store its data. */
const diskReserveBytes = 256 * 2 ** 20

/** Throws `disk_full` unless the bytes fit on the disk and leave some room. */
export async function requireRoom(directory: string, bytes: number): Promise<void> {
  await makeDirectoryInside(dirname(directory), [basename(directory)])
  const [needed, free] = [bytes + diskReserveBytes, await freeBytes(directory)]
  if (needed <= free) return
  throw new AppError(
    "disk_full",
    sentence("models.download_needs_space", { size: gigabytes(needed), free: gigabytes(free) }),
  )
}

/** With one decimal, as messages show it. */
const gigabytes = (bytes: number): number => Math.round((bytes / 2 ** 30) * 10) / 10

type Measured = Pick<Computer, "memoryBytes" | "freeMemoryBytes" | "freeDiskBytes"> & { gpuBytes: number }

/** Maximum share of memory for a recommended model: the person's other programs need the rest. */
const comfortableShare = 0.4
/** Maximum share of memory for any model. */
const largestShare = 0.9
/** On a processor, larger models answer more slowly than people read. */
const largestOnProcessor = 3 * 2 ** 30
/**
 * Rates the catalogue for a computer. Recommends the first comfortable model of each purpose, or the smallest usable one if none is
 * comfortable.
 */
export function offerModels(
  catalogue: readonly CatalogueModel[],
  computer: Measured,
  getInstalledId: (model: CatalogueModel) => string | null,
): OfferedModel[] {
  const judged = catalogue.map((model) => ({
    ...model,
    memoryFit: memoryFit(model, computer),
    diskFits: model.sizeBytes + diskReserveBytes <= computer.freeDiskBytes,
    installedId: getInstalledId(model),
  }))
  const comfortable = ({ memoryBytes, sizeBytes }: CatalogueModel) =>
    memoryBytes <= computer.gpuBytes * largestShare ||
    (memoryBytes <= computer.memoryBytes * comfortableShare && sizeBytes <= largestOnProcessor)
  const recommended = (purpose: ModelPurpose) => {
    const usable = judged.filter(
      (model) =>
        model.purpose === purpose &&
        model.memoryFit !== "too-large" &&
        (model.diskFits || model.installedId !== null),
    )
    return usable.find(comfortable) ?? usable.toSorted((a, b) => a.memoryBytes - b.memoryBytes)[0]
  }
  const chosen = new Set(
    (["chat", "embedding", "reranking"] as const).map((purpose) => recommended(purpose)?.id),
  )
  return judged.map((model) => ({ ...model, recommended: chosen.has(model.id) }))
}

function memoryFit({ memoryBytes }: CatalogueModel, computer: Measured): OfferedModel["memoryFit"] {
  if (memoryBytes <= computer.freeMemoryBytes + computer.gpuBytes) return "fits"
  return memoryBytes <= computer.memoryBytes * largestShare + computer.gpuBytes ? "tight" : "too-large"
}
