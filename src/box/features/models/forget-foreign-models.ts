import { realpath, stat } from "node:fs/promises"
import { normalize, sep } from "node:path"
import { ModelRole } from "../../../shared/contract/models.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { modelsPath } from "../../core/data-layout.ts"
import { silentLogger } from "../../core/logging/logger.ts"
import { isServerModel, createModelStore } from "./model-choice.ts"

/**
 * Removes models that a restored backup contains, and models whose path leads to no file on this computer. A model in the models directory
 * may be downloaded again later. Paths to other computers aren't opened, because that would send them this user's name.
 *
 * @param staging where the backup is unpacked
 * @param dataDir where its files will be after the restore
 */
export async function forgetForeignModels(
  values: Pick<BoxValues, "read" | "write">,
  staging: string,
  dataDir: string,
): Promise<void> {
  const store = createModelStore(values, staging, silentLogger)
  const roots = [await realpath(staging), await realpath(dataDir)]
  const shouldKeep = async (path: string) => {
    if (normalize(path) !== path) return false
    if (isBelow(path, staging)) return isBelow(path, modelsPath(staging))
    if (!/^([\\/])(?!\1)|^[a-z]:/i.test(path)) return false
    const actual = await realpath(path).catch(() => null)
    if (actual === null || !(await stat(actual)).isFile()) return false
    return roots.every((root) => !isBelow(actual, root) || isBelow(actual, modelsPath(root)))
  }
  const adopted = await store.adopted()
  const kept = []
  for (const model of adopted) if (await shouldKeep(model.path)) kept.push(model)
  if (kept.length < adopted.length) await store.setAdopted(kept)
  for (const role of ModelRole.options) {
    const chosen = await store.chosen(role)
    if (chosen !== null && !isServerModel(chosen) && !(await shouldKeep(chosen)))
      await store.choose(role, null)
  }
}

const isBelow = (path: string, directory: string) => path.startsWith(directory + sep)
