import { t } from "i18next"
import { useAssistants } from "../../data/assistants.ts"
import { SelectField, TextAreaField, TextField } from "../../ui/controls/Field.tsx"
import { FolderChoice } from "./FolderChoice.tsx"
import { maxInstructionsLength, maxNameLength, type ProjectForm } from "./project-form.ts"

interface ProjectFieldsProps {
  form: ProjectForm
  /** Validation messages by field. */
  issues: Partial<Record<string, string>>
  onChange: (part: Partial<ProjectForm>) => void
}

/** All fields of a project. */
export function ProjectFields({ form, issues, onChange }: ProjectFieldsProps) {
  const { data: assistants = [] } = useAssistants()
  return (
    <div className="flex flex-col gap-5">
      <TextField
        label={t("projects:name")}
        placeholder={t("projects:nameExample")}
        value={form.name}
        maxLength={maxNameLength}
        onChange={(event) => onChange({ name: event.target.value })}
        error={issues["name"]}
      />
      <TextAreaField
        label={t("projects:instructions")}
        hint={t("projects:instructionsHint")}
        placeholder={t("projects:instructionsExample")}
        rows={5}
        value={form.instructions}
        maxLength={maxInstructionsLength}
        onChange={(event) => onChange({ instructions: event.target.value })}
        error={issues["instructions"]}
      />
      <FolderChoice
        selected={form.vectorIds}
        error={issues["vectorIds"]}
        onChange={(vectorIds) => onChange({ vectorIds })}
      />
      <SelectField
        label={t("projects:assistant")}
        hint={t("projects:assistantHint")}
        value={assistants.some(({ id }) => id === form.assistantId) ? (form.assistantId ?? "") : ""}
        onChange={(event) => onChange({ assistantId: event.target.value || null })}
        error={issues["assistantId"]}
      >
        <option value="">{t("projects:noAssistant")}</option>
        {assistants.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
