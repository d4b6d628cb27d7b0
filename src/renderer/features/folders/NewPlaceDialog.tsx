import { t } from "i18next"
import { FolderOpen } from "lucide-react"
import { useState } from "react"
import type { Folder } from "../../../shared/contract/folders.ts"
import { useUpdateFolder } from "../../data/folders.ts"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { issuesOf } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"

/** Says where a directory that isn't there any more is now. */
export function NewPlaceDialog({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const [path, setPath] = useState(folder.folder)
  const update = useUpdateFolder(folder.id)
  const issues = issuesOf(update.error, ["folder"])
  const pickDirectory = shellBridge()?.pickDirectory

  async function pick() {
    const picked = await pickDirectory?.()
    if (typeof picked === "string") setPath(picked)
  }

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
        <div className="flex items-start gap-2">
          <div className="flex-1">
            <TextField
              label={t("folders:place.directory")}
              data-focus-first
              value={path}
              maxLength={4096}
              onChange={(event) => setPath(event.target.value)}
              error={issues["folder"] ?? issues["other"]}
            />
          </div>
          {pickDirectory && (
            <Button onClick={() => void pick()} className="mt-6.5 h-9">
              <FolderOpen aria-hidden /> {t("folders:new.choose")}
            </Button>
          )}
        </div>
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
