import { t } from "i18next"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { updateFile, refreshFiles } from "../../../data/folders/files.ts"
import { createUndoable } from "../../../data/undoable.ts"
import { box } from "../../../lib/box.ts"
import { showError, showToast } from "../../../lib/toasts.ts"

/** Excludes a file from the index. The file on disk doesn't change. */
export async function excludeFromSearch(folderId: string, { id, name }: FileEntry): Promise<void> {
  await updateFile(folderId, id, { leftOut: true }).then(() => {
    const undo = { label: t("folders:file.putIn"), run: () => void includeInSearch(folderId, id) }
    showToast(t("folders:file.isLeftOut", { name }), "info", { actions: [undo] })
  }, showError)
}

/** Excludes all files that aren't excluded already. */
export async function excludeAllFromSearch(folderId: string, files: readonly FileEntry[]): Promise<void> {
  const listed = files.filter(({ leftOut }) => leftOut !== true)
  const [only] = listed
  if (only && listed.length === 1) return excludeFromSearch(folderId, only)
  try {
    for (const { id } of listed) await updateFile(folderId, id, { leftOut: true })
    showToast(t("folders:file.areLeftOut", { count: listed.length }))
  } catch (error) {
    showError(error)
  }
}

export async function includeInSearch(folderId: string, fileId: string): Promise<void> {
  await updateFile(folderId, fileId, { leftOut: false }).catch(showError)
}

/** Files that are being deleted are still listed, but marked. */
export const fileDeletions = createUndoable<{ id: string; name: string; folderId: string }>({
  key: "deleted-files",
  describe: (files) => ({
    text: t("folders:file.deleted", { count: files.length, name: files.at(-1)?.name }),
  }),
  remove: ({ id, folderId }) => box.files.remove({ params: { id: folderId, fileId: id } }),
  refresh: (files) => Promise.all([...new Set(files.map(({ folderId }) => folderId))].map(refreshFiles)),
})
