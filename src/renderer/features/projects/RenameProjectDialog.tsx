import { t } from "i18next"
import { useState } from "react"
import type { Project } from "../../../shared/contract/projects.ts"
import { useUpdateProject } from "../../data/projects.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { TextField } from "../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { maxNameLength } from "./project-form.ts"

export function RenameProjectDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const [name, setName] = useState(project.name)
  const update = useUpdateProject(project.id)
  return (
    <Dialog open onClose={onClose} title={t("projects:renameTitle")}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ name: name.trim() }, { onSuccess: onClose })
        }}
      >
        <TextField
          label={t("projects:name")}
          value={name}
          maxLength={maxNameLength}
          onChange={(event) => setName(event.target.value)}
          error={update.error ? describeError(update.error) : undefined}
        />
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={name.trim() === ""}>
            {t("projects:rename")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
