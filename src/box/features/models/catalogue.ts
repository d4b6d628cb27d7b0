import { join } from "node:path"
import { z } from "zod"
import shipped from "../../../../resources/models.json" with { type: "json" }
import { CatalogueModel } from "../../../shared/contract/model-files.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { Logger } from "../../core/logging/logger.ts"
import { readSmallFile } from "../../core/files/file-contents.ts"

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
