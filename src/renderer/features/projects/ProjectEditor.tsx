import { t } from "i18next"
import { useState } from "react"
import type { Project } from "../../../shared/contract/projects.ts"
import { useUpdateProject } from "../../data/projects.ts"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { classNames } from "../../ui/class-names.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { toForm, isSame, type ProjectForm } from "./project-form.ts"
import { ProjectFields } from "./ProjectFields.tsx"

/** Edits what each chat of the project receives. Typed text stays until it is saved or discarded. */
export function ProjectEditor({ project }: { project: Project }) {
  const saved = toForm(project)
  const [changes, setChanges] = useState<Partial<ProjectForm>>({})
  const form = { ...saved, ...changes }
  const isDirty = !isSame(form, saved)
  const isUnconfirmed = project.writtenByScopedKey === true
  const canSave = (isDirty || isUnconfirmed) && form.name.trim() !== ""
  const update = useUpdateProject(project.id)
  const issues = getIssues(update.error, Object.keys(saved))

  function save() {
    if (!canSave || update.isPending) return
    const { instructions, assistantId } = form
    const given = isUnconfirmed ? { instructions, assistantId, ...changes } : changes
    const body = { ...given, ...(given.name !== undefined && { name: given.name.trim() }) }
    update.mutate(body, { onSuccess: () => setChanges({}) })
  }
  useShortcuts({ save })

  return (
    <section>
      <h2 className="font-medium">{t("projects:given")}</h2>
      <p className="mt-0.5 mb-4 text-sm text-soft">{t("projects:givenText")}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        {isUnconfirmed && (
          <div className="mb-4">
            <Note kind="warning">{t("projects:writtenByKey")}</Note>
          </div>
        )}
        <ProjectFields
          form={form}
          issues={form.name.trim() === "" ? { ...issues, name: t("projects:nameMissing") } : issues}
          onChange={(part) => {
            if (update.isError) update.reset()
            setChanges({ ...changes, ...part })
          }}
        />
        {issues.other !== undefined && (
          <div className="mt-4">
            <Note kind="error">{issues.other}</Note>
          </div>
        )}
        <div
          className={classNames(
            "mt-4 flex items-center justify-end gap-2 bg-canvas py-3",
            isDirty && "sticky bottom-0",
          )}
        >
          <span aria-live="polite" className="mr-auto text-xs text-faint">
            {isDirty ? t("projects:unsaved") : update.isSuccess ? t("projects:saved") : ""}
          </span>
          {isDirty && <Button onClick={() => setChanges({})}>{t("projects:discard")}</Button>}
          <Button
            type="submit"
            variant={isDirty ? "primary" : "secondary"}
            title={shortcutName("save")}
            busy={update.isPending}
            disabled={!canSave}
          >
            {t("projects:save")}
          </Button>
        </div>
      </form>
      <LeaveQuestion unsaved={isDirty} />
    </section>
  )
}
