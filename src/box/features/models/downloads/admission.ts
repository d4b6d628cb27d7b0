import { stat } from "node:fs/promises"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { requireRoom } from "../catalogue.ts"
import type { Download } from "./download.ts"

type Downloads = Map<string, Download>

const maxRunning = 3
const maxKept = 30

/** Throws `disk_full` unless this many bytes fit in addition to what the other running downloads still need. */
export async function requireRoomFor(
  downloads: Downloads,
  directory: string,
  id: string,
  bytes: number,
): Promise<void> {
  const others = [...downloads].filter(([other, { state }]) => other !== id && state.isRunning)
  await requireRoom(
    directory,
    others.reduce((sum, [, { state }]) => sum + state.missingBytes, bytes),
  )
}

/** Throws `conflict` if the maximum number of downloads is running. */
export function requireFewRunning(downloads: Downloads): void {
  if ([...downloads.values()].filter(({ state }) => state.isRunning).length < maxRunning) return
  throw new AppError("conflict", sentence("models.too_many_at_once", { count: maxRunning }))
}

/**
 * Throws `conflict` if the model exists or is being downloaded, or too many downloads are listed. Removes finished downloads that are in
 * the way.
 */
export async function requireNew(downloads: Downloads, target: string): Promise<void> {
  for (const [id, { state }] of downloads) {
    if (state.target !== target) continue
    if (state.status !== "done") throw new AppError("conflict", sentence("models.downloading_already"))
    downloads.delete(id)
  }
  if ((await stat(target).catch(() => null)) !== null) {
    throw new AppError("conflict", sentence("models.downloaded_already"))
  }
  const done = [...downloads].find(([, { state }]) => state.status === "done")
  if (downloads.size >= maxKept && done) downloads.delete(done[0])
  if (downloads.size >= maxKept) {
    throw new AppError("conflict", sentence("models.too_many_downloads"))
  }
}
