import { t } from "i18next"
import { Ellipsis, FileInput, Pause, Play, Settings2, Trash2 } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import type { Folder } from "../../../shared/contract/folders.ts"
import { refreshFolders, useUpdateFolder } from "../../data/folders/folders.ts"
import { createUndoable } from "../../data/undoable.ts"
import { box } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { showError } from "../../lib/toasts.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { Menu, MenuItem } from "../../ui/layers/Menu.tsx"
import { FolderSettingsDialog } from "./FolderSettingsDialog.tsx"

/** Folders are deleted immediately and can be restored for a while. */
const folderDeletions = createUndoable<{ id: string; name: string }>({
  key: "deleted-folders",
  describe: (folders) => ({
    text: t("folders:deleted", { count: folders.length }),
    detail: folders.at(-1)?.name ?? "",
  }),
  remove: ({ id }) => box.folders.remove({ params: { id } }),
  refresh: (folders) => refreshFolders(folders.map(({ id }) => id)),
  screen: { of: routes.folder, instead: routes.folders },
})

/** The menu of actions for a folder's owner. */
export function FolderMenu({ folder }: { folder: Folder }) {
  const [open, setOpen] = useState<"settings" | "delete">()
  const [, navigate] = useLocation()
  const update = useUpdateFolder(folder.id)
  const close = () => setOpen(undefined)

  return (
    <>
      <Menu
        trigger={
          <IconButton label={t("folders:menu.label")}>
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen("settings")}>
          <Settings2 aria-hidden /> {t("folders:settings.open")}
        </MenuItem>
        <MenuItem
          disabled={!folder.available}
          onSelect={() => update.mutate({ paused: !folder.paused }, { onError: showError })}
        >
          {folder.paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {folder.paused ? t("folders:menu.resume") : t("folders:menu.pause")}
        </MenuItem>
        <MenuItem onSelect={() => navigate(workRoutes.newWith("folder", folder.id))}>
          <FileInput aria-hidden /> {t("automations:fromFolder")}
        </MenuItem>
        <MenuItem danger onSelect={() => setOpen("delete")}>
          <Trash2 aria-hidden /> {t("folders:delete")}
        </MenuItem>
      </Menu>
      {open === "settings" && <FolderSettingsDialog folder={folder} onClose={close} />}
      <ConfirmDialog
        open={open === "delete"}
        onClose={close}
        onConfirm={() => void folderDeletions.remove({ id: folder.id, name: folder.name })}
        title={t("folders:menu.deleteTitle", { name: folder.name })}
        description={folder.watched ? t("folders:menu.deleteWatched") : t("folders:menu.deleteOwn")}
        confirmLabel={t("folders:delete")}
      />
    </>
  )
}
