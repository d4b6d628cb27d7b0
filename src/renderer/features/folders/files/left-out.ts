import { t } from "i18next"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { updateFile } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"

const tellError = (error: unknown) => showToast(describeError(error), "error")

/** Leaves a file out of the index; on the disk nothing changes. */
export async function leaveOut(folderId: string, { id, name }: FileEntry): Promise<void> {
  await updateFile(folderId, id, { leftOut: true }).then(() => {
    const undo = { label: t("folders:file.putIn"), run: () => void putIn(folderId, id) }
    showToast(t("folders:file.isLeftOut", { name }), "info", { actions: [undo] })
  }, tellError)
}

export async function putIn(folderId: string, fileId: string): Promise<void> {
  await updateFile(folderId, fileId, { leftOut: false }).catch(tellError)
}
