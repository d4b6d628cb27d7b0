import { t } from "i18next"
import { useId, useRef } from "react"
import { useAssistants } from "../../data/assistants.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { SelectField, TextAreaField } from "../../ui/controls/Field.tsx"
import { FolderTicks } from "../../ui/controls/FolderTicks.tsx"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { maxPromptLength, maxFolders, type AutomationForm, type FormPartProps } from "./automation-form.ts"

/** The task: its assistant, prompt and documents. */
export function TaskFields(props: FormPartProps) {
  const { form, issues, onChange } = props
  const { data: assistants = [] } = useAssistants()
  const watching = form.watch && form.kind === "file"
  return (
    <>
      {form.kind === "file" && (
        <WatchField watch={form.watch} error={issues["watch"]} onChange={(watch) => onChange({ watch })} />
      )}
      {!watching && (
        <SelectField
          label={t("automations:field.assistant")}
          value={assistants.some(({ id }) => id === form.assistantId) ? (form.assistantId ?? "") : ""}
          onChange={(event) => onChange({ assistantId: event.target.value || null })}
          error={issues["assistantId"]}
        >
          <option value="">{t("automations:noAssistant")}</option>
          {assistants.map(({ id, name, handle }) => (
            <option key={id} value={id}>
              {t("automations:assistant", { name, handle })}
            </option>
          ))}
        </SelectField>
      )}
      <PromptField {...props} watching={watching} />
      {!watching && <FolderField {...props} />}
    </>
  )
}

interface WatchFieldProps {
  watch: boolean
  error: string | undefined
  onChange: (watch: boolean) => void
}

function WatchField({ watch, error, onChange }: WatchFieldProps) {
  const id = useId()
  return (
    <div className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <label htmlFor={id} className="text-sm font-medium">
          {t("automations:field.watch")}
        </label>
        <p className={error === undefined ? "text-xs text-faint" : "text-xs text-danger"}>
          {error ?? t("automations:watchHint")}
        </p>
      </div>
      <Switch id={id} checked={watch} onCheckedChange={onChange} />
    </div>
  )
}

/** Placeholders that a prompt may use, by trigger. */
const placeholders = {
  schedule: ["date"],
  file: ["fileName", "fileId", "date"],
  hook: ["input", "date"],
  manual: ["fileName", "fileId", "date"],
} as const satisfies Record<AutomationForm["kind"], string[]>

const written = { fileName: "{{file.name}}", fileId: "{{file.id}}", date: "{{date}}", input: "{{input}}" }

function PromptField({ form, issues, onChange, watching }: FormPartProps & { watching: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null)
  function insert(text: string) {
    const area = field.current
    if (!area) return
    const { selectionStart, selectionEnd, value } = area
    onChange({ prompt: value.slice(0, selectionStart) + text + value.slice(selectionEnd) })
    area.focus()
    const end = selectionStart + text.length
    requestAnimationFrame(() => area.setSelectionRange(end, end)) // after the inserted text is rendered
  }
  return (
    <div className="flex flex-col gap-1.5">
      <TextAreaField
        ref={field}
        label={t(watching ? "automations:field.question" : "automations:field.prompt")}
        placeholder={t(watching ? "automations:questionExample" : "automations:promptExample")}
        rows={watching ? 2 : 6}
        value={form.prompt}
        maxLength={maxPromptLength}
        onChange={(event) => onChange({ prompt: event.target.value })}
        error={issues["prompt"]}
      />
      {!watching && (
        <ul aria-label={t("automations:placeholders")} className="flex flex-wrap items-center gap-1.5">
          {placeholders[form.kind].map((name) => (
            <li key={name}>
              <button
                type="button"
                title={written[name]}
                onClick={() => insert(written[name])}
                className="inline-flex h-6 items-center rounded-full border border-line-strong px-2.5 text-xs text-soft transition-colors hover:bg-hover hover:text-ink"
              >
                {t(`automations:placeholder.${name}`)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function FolderField({ form, issues, onChange }: FormPartProps) {
  const { data: folders = [] } = useFolders()
  if (folders.length === 0) return null
  const error = issues["vectorIds"]
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{t("automations:field.folders")}</legend>
      <FolderTicks
        folders={folders}
        selected={form.vectorIds}
        max={maxFolders}
        searchLabel={t("automations:findFolder")}
        notFoundText={t("automations:noFolderFound")}
        className="max-h-44"
        onChange={(vectorIds) => onChange({ vectorIds })}
      />
      <p className={error === undefined ? "text-xs text-faint" : "text-xs text-danger"}>
        {error ?? t("automations:foldersHint")}
      </p>
    </fieldset>
  )
}
