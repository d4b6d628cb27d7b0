import { t } from "i18next"
import { refreshFiles } from "../../../data/folders/files.ts"
import { createUndoable } from "../../../data/undoable.ts"
import { box } from "../../../lib/box.ts"

/** Files that are being deleted are still listed, but marked. */
export const fileDeletions = createUndoable<{ id: string; name: string; folderId: string }>({
  key: "deleted-files",
  describe: (files) => ({
    text: t("folders:file.deleted", { count: files.length, name: files.at(-1)?.name }),
  }),
  remove: ({ id, folderId }) => box.files.remove({ params: { id: folderId, fileId: id } }),
  refresh: (files) => Promise.all([...new Set(files.map(({ folderId }) => folderId))].map(refreshFiles)),
})
