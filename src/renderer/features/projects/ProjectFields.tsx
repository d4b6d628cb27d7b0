import { t } from "i18next"
import { Link } from "wouter"
import type { Project } from "../../../shared/contract/projects.ts"
import { useAssistants } from "../../data/assistants.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { SelectField, TextAreaField, TextField } from "../../ui/controls/Field.tsx"
import { FolderTicks } from "../../ui/controls/FolderTicks.tsx"

export const maxNameLength = 120
const maxInstructionsLength = 100_000
const maxFolders = 50

/** The editable fields of a project. */
export type ProjectForm = Pick<Project, "name" | "instructions" | "vectorIds" | "assistantId">

export const emptyForm: ProjectForm = { name: "", instructions: "", vectorIds: [], assistantId: null }

export const toForm = ({ name, instructions, vectorIds, assistantId }: Project): ProjectForm => ({
  name,
  instructions,
  vectorIds,
  assistantId,
})

export const isSame = (one: ProjectForm, other: ProjectForm): boolean =>
  JSON.stringify({ ...one, vectorIds: one.vectorIds.toSorted() }) ===
  JSON.stringify({ ...other, vectorIds: other.vectorIds.toSorted() })

interface FolderChoiceProps {
  selected: string[]
  error: string | undefined
  onChange: (folderIds: string[]) => void
}

/** Chooses the folders that every chat of a project searches. */
function FolderChoice({ selected, error, onChange }: FolderChoiceProps) {
  const { data: folders = [] } = useFolders()
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{t("projects:folders")}</legend>
      {folders.length === 0 ? (
        <p className="text-sm text-soft">
          {t("projects:noFolders")}{" "}
          <Link href={routes.newFolder} className="text-accent underline underline-offset-2">
            {t("projects:makeFolder")}
          </Link>
        </p>
      ) : (
        <FolderTicks
          folders={folders}
          selected={selected}
          max={maxFolders}
          searchLabel={t("projects:findFolder")}
          notFoundText={t("projects:noFolderFound")}
          className="max-h-52"
          onChange={onChange}
        />
      )}
      <p className={error === undefined ? "text-xs text-faint" : "text-xs text-danger"}>
        {error ?? t("projects:foldersHint")}
      </p>
    </fieldset>
  )
}

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
