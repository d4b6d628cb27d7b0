import { stat } from "node:fs/promises"
import { normalize, sep } from "node:path"
import { ModelRole } from "../../../shared/contract/model-files.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { modelsPath } from "../../core/data-layout.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { isServerModel } from "./model-id.ts"
import { createModelStore } from "./model-store.ts"

/**
 * Forgets models of a restored backup that it brought itself, and those whose path leads to no file of this computer. A model in the
 * directory of models may be downloaded again later. Nothing on another computer is looked at, because that sends it the name of this
 * computer's user.
 */
export async function forgetForeignModels(
  values: Pick<BoxValues, "read" | "write">,
  dataDir: string,
): Promise<void> {
  const store = createModelStore(values, dataDir, silentLogger)
  const isKept = async (path: string) => {
    if (normalize(path) !== path) return false
    if (path.startsWith(dataDir + sep)) return path.startsWith(modelsPath(dataDir) + sep)
    return /^([\\/])(?!\1)|^[a-z]:/i.test(path) && (await stat(path).catch(() => null))?.isFile() === true
  }
  const adopted = await store.adopted()
  const kept = []
  for (const model of adopted) if (await isKept(model.path)) kept.push(model)
  if (kept.length < adopted.length) await store.setAdopted(kept)
  for (const role of ModelRole.options) {
    const chosen = await store.chosen(role)
    if (chosen !== null && !isServerModel(chosen) && !(await isKept(chosen))) await store.choose(role, null)
  }
}
