import { Ellipsis, Pause, Play, Settings2, Trash2 } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import type { Folder } from "../../../shared/contract/folders.ts"
import { useDeleteFolder, useUpdateFolder } from "../../data/folders.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/routes.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { Menu, MenuItem } from "../../ui/Menu.tsx"
import { showToast } from "../../ui/toasts.ts"
import { FolderSettingsDialog } from "./FolderSettingsDialog.tsx"

/** What an owner can do with a folder. */
export function FolderMenu({ folder }: { folder: Folder }) {
  const [open, setOpen] = useState<"settings" | "delete">()
  const [, navigate] = useLocation()
  const update = useUpdateFolder(folder.id)
  const remove = useDeleteFolder(folder.id)
  const close = () => setOpen(undefined)
  const onError = (error: unknown) => showToast(describeError(error), "error")

  return (
    <>
      <Menu
        trigger={
          <IconButton label="Actions on this folder">
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setOpen("settings")}>
          <Settings2 aria-hidden /> Settings
        </MenuItem>
        <MenuItem onSelect={() => update.mutate({ paused: !folder.paused }, { onError })}>
          {folder.paused ? <Play aria-hidden /> : <Pause aria-hidden />}
          {folder.paused ? "Resume indexing" : "Pause indexing"}
        </MenuItem>
        <MenuItem danger onSelect={() => setOpen("delete")}>
          <Trash2 aria-hidden /> Delete
        </MenuItem>
      </Menu>
      {open === "settings" && <FolderSettingsDialog folder={folder} onClose={close} />}
      <ConfirmDialog
        open={open === "delete"}
        onClose={close}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => navigate(routes.folders), onError })}
        title={`Delete “${folder.name}”?`}
        description={
          folder.watched
            ? "Its index is removed. The files in your directory stay where they are."
            : "Its index is removed. The files go to Casella’s trash and stay there for 30 days."
        }
        confirmLabel="Delete"
      />
    </>
  )
}
