import type {
  CatalogueModel,
  Computer,
  ModelPurpose,
  OfferedModel,
} from "../../../shared/contract/model-files.ts"
import { diskReserveBytes } from "./downloads/disk-room.ts"

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
