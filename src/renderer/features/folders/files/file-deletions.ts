import { t } from "i18next"
import { deleteFile } from "../../../data/files.ts"
import { createDeletions } from "../../../lib/undoable-deletions.ts"

/** Files on their way out: still listed, but marked. */
export const fileDeletions = createDeletions<{ id: string; name: string; folderId: string }>({
  key: "deleted-files",
  tell: (files) => ({
    text: t("folders:file.deleted", { count: files.length, name: files.at(-1)?.name }),
  }),
  remove: ({ id, folderId }) => deleteFile(folderId, id),
})
