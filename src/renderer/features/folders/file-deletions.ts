import { t } from "i18next"
import { useSyncExternalStore } from "react"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { deleteFile } from "../../data/files.ts"
import { describeError } from "../../lib/box.ts"
import { showToast } from "../../ui/toasts.ts"

const undoMs = 6000

/** Ids of files on their way out: marked at once, deleted when it is too late to undo. */
let leaving: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()
const waiting = new Map<string, { folderId: string; timer: ReturnType<typeof setTimeout> }>()

function change(edit: (next: Set<string>) => void): void {
  const next = new Set(leaving)
  edit(next)
  leaving = next
  for (const listener of listeners) listener()
}

/** Deletes a file unless somebody undoes it in the next seconds. */
export function deleteFileLater(folderId: string, { id, name }: Pick<FileEntry, "id" | "name">): void {
  if (leaving.has(id)) return
  change((next) => next.add(id))
  waiting.set(id, { folderId, timer: setTimeout(() => void finish(id), undoMs) })
  showToast(t("folders:file.deleted", { name }), "info", {
    shownMs: undoMs,
    actions: [{ label: t("folders:undo"), run: () => undo(id) }],
  })
}

function undo(id: string): void {
  clearTimeout(waiting.get(id)?.timer)
  if (waiting.delete(id)) change((next) => next.delete(id))
}

async function finish(id: string): Promise<void> {
  const deletion = waiting.get(id)
  if (!deletion) return
  clearTimeout(deletion.timer)
  waiting.delete(id)
  try {
    await deleteFile(deletion.folderId, id)
  } catch (error) {
    showToast(describeError(error), "error")
  }
  change((next) => next.delete(id))
}

// Whoever closes the page can't undo any more.
window.addEventListener("pagehide", () => {
  for (const id of waiting.keys()) void finish(id)
})

/** Ids of files that are about to be deleted. */
export const useLeavingFiles = (): ReadonlySet<string> =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => leaving,
  )
