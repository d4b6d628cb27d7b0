import { Download, Ellipsis, FileText, RotateCcw, Trash2 } from "lucide-react"
import { useState } from "react"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { fileDownloadPath, useDeleteFile, useRetryFile } from "../../data/files.ts"
import { describeError } from "../../lib/box.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { Menu, MenuItem } from "../../ui/Menu.tsx"
import { showToast } from "../../ui/toasts.ts"

interface FileMenuProps {
  folderId: string
  owned: boolean
  file: FileEntry
  onOpen: () => void
}

/** What can be done with a file. */
export function FileMenu({ folderId, owned, file, onOpen }: FileMenuProps) {
  const [confirming, setConfirming] = useState(false)
  const retry = useRetryFile(folderId)
  const remove = useDeleteFile(folderId)
  const onError = (error: unknown) => showToast(describeError(error), "error")

  return (
    <>
      <Menu
        trigger={
          <IconButton label={`Actions on ${file.name}`}>
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
        <MenuItem disabled={file.status !== "completed"} onSelect={onOpen}>
          <FileText aria-hidden /> Show its text
        </MenuItem>
        <MenuItem onSelect={() => window.location.assign(fileDownloadPath(folderId, file.id))}>
          <Download aria-hidden /> Download
        </MenuItem>
        {owned && (
          <>
            <MenuItem
              disabled={file.status === "queued" || file.status === "processing"}
              onSelect={() => retry.mutate(file.id, { onError })}
            >
              <RotateCcw aria-hidden /> Index again
            </MenuItem>
            <MenuItem danger onSelect={() => setConfirming(true)}>
              <Trash2 aria-hidden /> Delete
            </MenuItem>
          </>
        )}
      </Menu>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutate(file.id, { onError })}
        title={`Delete “${file.name}”?`}
        description="The file leaves the folder and the index. It stays in Casella’s trash for 30 days."
        confirmLabel="Delete"
      />
    </>
  )
}
