import type { Folder } from "../../../../shared/contract/folders.ts"
import { box, hasCode } from "../../../lib/box.ts"
import { attachments } from "../composer/attachments.ts"

const lookMs = 1000
const longestMs = 15 * 60_000

/**
 * The chosen folders and the chat's own, if it holds files: once those are uploaded and indexed, when the signal says
 * not to wait, or after a quarter of an hour.
 */
export async function foldersToSearch(
  chatId: string,
  chosen: string[],
  signal: AbortSignal,
): Promise<string[]> {
  const end = Date.now() + longestMs
  await Promise.race([attachments.settled(chatId), aborted(signal)])
  const own = attachments.folder(chatId)
  if (own === undefined || chosen.includes(own)) return chosen
  let folder = await read(own)
  while (folder && folder.pendingCount > 0 && !signal.aborted && Date.now() < end) {
    await pause(signal)
    folder = await read(own)
  }
  return folder && folder.fileCount > 0 ? [...chosen, own] : chosen
}

async function read(folderId: string): Promise<Folder | undefined> {
  try {
    return (await box.folders.read({ params: { id: folderId } })).vector
  } catch (error) {
    if (hasCode(error, "not_found")) return undefined
    throw error
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener("abort", () => resolve(), { once: true })
  })

const pause = (signal: AbortSignal): Promise<void> =>
  Promise.race([aborted(signal), new Promise<void>((resolve) => setTimeout(resolve, lookMs))])
