import { t } from "i18next"
import { refreshFolders } from "../../data/folders/folders.ts"
import { createUndoable } from "../../data/undoable.ts"
import { box } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"

/** Folders are deleted immediately and can be restored for a while. */
export const folderDeletions = createUndoable<{ id: string; name: string }>({
  key: "deleted-folders",
  describe: (folders) => ({
    text: t("folders:deleted", { count: folders.length }),
    detail: folders.at(-1)?.name ?? "",
  }),
  remove: ({ id }) => box.folders.remove({ params: { id } }),
  refresh: (folders) => refreshFolders(folders.map(({ id }) => id)),
  screen: { of: routes.folder, instead: routes.folders },
})
