import { t } from "i18next"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { updateFile } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"

const showError = (error: unknown) => showToast(describeError(error), "error")

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
