import { t } from "i18next"
import { useState } from "react"
import type { Project } from "../../../shared/contract/projects.ts"
import { useCreateProject } from "../../data/projects.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { emptyForm } from "./project-form.ts"
import { ProjectFields } from "./ProjectFields.tsx"

interface NewProjectDialogProps {
  onClose: () => void
  onMade: (project: Project) => void
}

export function NewProjectDialog({ onClose, onMade }: NewProjectDialogProps) {
  const [form, setForm] = useState(emptyForm)
  const create = useCreateProject()
  const issues = getIssues(create.error, Object.keys(emptyForm))
  return (
    <Dialog open onClose={onClose} title={t("projects:new")} description={t("projects:what")}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ ...form, name: form.name.trim() }, { onSuccess: onMade })
        }}
      >
        <ProjectFields
          form={form}
          issues={issues}
          onChange={(part) => {
            if (create.isError) create.reset()
            setForm({ ...form, ...part })
          }}
        />
        {issues.other !== undefined && <Note kind="error">{issues.other}</Note>}
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={create.isPending} disabled={form.name.trim() === ""}>
            {t("projects:create")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
