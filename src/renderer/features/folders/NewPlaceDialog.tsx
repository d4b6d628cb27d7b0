import { t } from "i18next"
import { useState } from "react"
import type { Folder } from "../../../shared/contract/folders.ts"
import { useUpdateFolder } from "../../data/folders/folders.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { PathField } from "../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"

/** Asks for the new location of a directory that is no longer where it was. */
export function ChangeLocationDialog({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const [path, setPath] = useState(folder.folder)
  const update = useUpdateFolder(folder.id)
  const issues = getIssues(update.error, ["folder"])
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("folders:place.title")}
      description={t("folders:place.description")}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ folder: path.trim() }, { onSuccess: onClose })
        }}
      >
        <PathField
          kind="directory"
          label={t("folders:place.directory")}
          data-focus-first
          value={path}
          onPath={setPath}
          error={issues["folder"] ?? issues["other"]}
        />
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={path.trim() === ""}>
            {t("folders:place.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
