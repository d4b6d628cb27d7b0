import { stat } from "node:fs/promises"
import { AppError } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import { requireRoom } from "./disk-room.ts"
import type { Download } from "./download.ts"

type Downloads = Map<string, Download>

const mostRunning = 3
const mostKept = 30

/** Throws `disk_full` unless so many bytes fit: the other running downloads need room for what they still miss, too. */
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

/** Throws `conflict` while as many run as may. */
export function requireFewRunning(downloads: Downloads): void {
  if ([...downloads.values()].filter(({ state }) => state.isRunning).length < mostRunning) return
  throw new AppError("conflict", sentence("models.too_many_at_once", { count: mostRunning }))
}

/** Throws `conflict` when the model is there or on its way, or too many wait; forgets those done that are in the way. */
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
  if (downloads.size >= mostKept && done) downloads.delete(done[0])
  if (downloads.size >= mostKept) {
    throw new AppError("conflict", sentence("models.too_many_downloads"))
  }
}
