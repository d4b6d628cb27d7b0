import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import shipped from "../../../../resources/models.json" with { type: "json" }
import { CatalogueModel } from "../../../shared/contract/model-files.ts"
import { AppError } from "../../../shared/contract/errors.ts"

const Catalogue = z.object({ models: z.array(CatalogueModel).max(1_000) })

/**
 * The recommended models, best first within each purpose: those of the owner's own `models.json` in the data directory,
 * then those that are shipped. An own entry takes the place of a shipped one with its id.
 *
 * @throws AppError `unprocessable` that names what is wrong in the owner's file.
 */
export async function readCatalogue(dataDir: string): Promise<CatalogueModel[]> {
  const own = await readOwn(join(dataDir, "models.json"))
  const ids = new Set(own.map(({ id }) => id))
  return [...own, ...Catalogue.parse(shipped).models.filter(({ id }) => !ids.has(id))]
}

async function readOwn(path: string): Promise<CatalogueModel[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null
    throw error
  })
  if (text === null) return []
  const read = Catalogue.safeParse(parseJson(text))
  if (read.success) return read.data.models
  const [issue] = read.error.issues
  throw new AppError(
    "unprocessable",
    `models.json in the data directory isn't a catalogue: ${issue?.path.join(".")}: ${issue?.message}.`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AppError("unprocessable", "models.json in the data directory isn't valid JSON.", { cause })
  }
}
