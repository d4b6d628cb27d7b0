import { t } from "i18next"
import { useState } from "react"
import type { FilingDraft } from "../../../../shared/contract/filing.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { fileAs } from "./FileHistory.tsx"
import { useFolders } from "../../../data/folders/folders.ts"
import { describeError } from "../../../lib/box.ts"
import { showToast } from "../../../lib/toasts.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { Note } from "../../../ui/Note.tsx"

const getTags = (text: string): string[] =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")

interface FilingDialogProps {
  folderId: string
  file: FileEntry
  onClose: () => void
}

/** Changes the name, location or tags of a user's file. Each change can be undone. */
export function FilingDialog({ folderId, file, onClose }: FilingDialogProps) {
  const { data: folders = [] } = useFolders()
  const [name, setName] = useState(file.name)
  const [targetFolderId, setTargetFolderId] = useState(folderId)
  const [subFolder, setSubFolder] = useState(file.folder)
  const [tags, setTags] = useState((file.tags ?? []).join(", "))
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)

  /** Includes only what has changed. */
  const drafts = (): FilingDraft[] => {
    const { id: fileId } = file
    const isMoved = targetFolderId !== folderId || subFolder.trim() !== file.folder
    return [
      ...(name.trim() === file.name ? [] : [{ action: "rename" as const, fileId, name }]),
      ...(getTags(tags).join() === (file.tags ?? []).join()
        ? []
        : [{ action: "tag" as const, fileId, tags: getTags(tags) }]),
      ...(isMoved ? [{ action: "move" as const, fileId, vectorId: targetFolderId, folder: subFolder }] : []),
    ]
  }

  async function save(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      for (const draft of drafts()) await fileAs(draft)
      showToast(t("filing:notice.changed", { name: file.name }))
      onClose()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }

  const own = folders.filter(({ owned }) => owned)
  return (
    <Dialog open onClose={onClose} title={t("filing:title", { name: file.name })}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField
          label={t("filing:field.name")}
          value={name}
          maxLength={200}
          required
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label={t("filing:field.folder")}
          value={targetFolderId}
          onChange={(event) => setTargetFolderId(event.target.value)}
        >
          {own.map((folder) => (
            <option key={folder.id} value={folder.id}>
              {folder.name}
            </option>
          ))}
        </SelectField>
        <TextField
          label={t("filing:field.subFolder")}
          value={subFolder}
          maxLength={1_000}
          onChange={(event) => setSubFolder(event.target.value)}
        />
        <TextField
          label={t("filing:field.tags")}
          hint={t("filing:field.tagsHint")}
          value={tags}
          maxLength={900}
          onChange={(event) => setTags(event.target.value)}
        />
        {error !== undefined && <Note kind="error">{describeError(error)}</Note>}
        <DialogActions>
          <Button type="submit" variant="primary" busy={busy} disabled={drafts().length === 0}>
            {t("filing:save")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
