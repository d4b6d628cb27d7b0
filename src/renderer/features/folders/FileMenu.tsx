import { Download, FileText, RotateCcw, Trash2 } from "lucide-react"
import { useState, type ReactNode } from "react"
import type { FileEntry } from "../../../shared/contract/files.ts"
import { fileDownloadPath, useDeleteFile, useRetryFile } from "../../data/files.ts"
import { describeError } from "../../lib/box.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Menu, MenuItem } from "../../ui/Menu.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { showToast } from "../../ui/toasts.ts"

interface FileMenuProps {
  folderId: string
  owned: boolean
  file: FileEntry
  onOpen: () => void
}

/** What can be done with a file. */
export function FileMenu(props: FileMenuProps) {
  return (
    <RowMenu
      label={`Actions on ${props.file.name}`}
      renderMenu={(trigger) => <FileActions {...props} trigger={trigger} />}
    />
  )
}

function FileActions({ folderId, owned, file, onOpen, trigger }: FileMenuProps & { trigger: ReactNode }) {
  const [confirming, setConfirming] = useState(false)
  const retry = useRetryFile(folderId)
  const remove = useDeleteFile(folderId)
  const onError = (error: unknown) => showToast(describeError(error), "error")

  return (
    <>
      <Menu defaultOpen trigger={trigger}>
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
