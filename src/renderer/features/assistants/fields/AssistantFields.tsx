import { t } from "i18next"
import type { ReactNode } from "react"
import { PermissionMode } from "../../../../shared/contract/assistants.ts"
import { Visibility } from "../../../../shared/contract/folders.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { TextAreaField, TextField } from "../../../ui/controls/Field.tsx"
import { Note } from "../../../ui/Note.tsx"
import { SettingsGroup } from "../../../ui/controls/SettingsGroup.tsx"
import { Switch } from "../../../ui/controls/Switch.tsx"
import { FolderFields } from "./FolderFields.tsx"
import { limits, type AssistantForm, type FormChanges } from "../editor/form.ts"
import type { FormIssues, IssueField } from "../editor/form-issues.ts"
import { HandleField } from "./HandleField.tsx"
import { LookFields } from "./LookFields.tsx"
import { RadioRows } from "./RadioRows.tsx"
import { SuggestionFields } from "./SuggestionFields.tsx"
import { ToolFields } from "./ToolFields.tsx"

interface AssistantFieldsProps {
  form: AssistantForm
  assistantId: string | undefined
  /** Its id, while the picture is the one that is saved. */
  pictureOf: string | undefined
  /** The handle it has. */
  savedHandle: string | undefined
  issues: FormIssues
  onChange: (part: FormChanges) => void
}

/** The form of an assistant, in the order in which one thinks of it. */
export function AssistantFields({
  form,
  assistantId,
  pictureOf,
  savedHandle,
  issues,
  onChange,
}: AssistantFieldsProps) {
  return (
    <>
      <SettingsGroup title={t("assistants:identity")}>
        <div className="flex flex-col gap-4">
          <Field of="name">
            <TextField
              label={t("assistants:name.label")}
              placeholder={t("assistants:name.example")}
              value={form.name}
              maxLength={limits.name}
              onChange={({ target }) => onChange({ name: target.value })}
              error={issues.name}
            />
          </Field>
          <Field of="handle">
            <HandleField
              handle={form.handle}
              name={form.name}
              assistantId={assistantId}
              saved={savedHandle}
              error={issues.handle}
              onChange={(handle) => onChange({ handle })}
            />
          </Field>
          <Field of="description">
            <TextField
              label={t("assistants:description.label")}
              value={form.description}
              maxLength={limits.description}
              hint={t("assistants:description.hint")}
              onChange={({ target }) => onChange({ description: target.value })}
              error={issues.description}
              spellCheck
            />
          </Field>
          <Field of="customImage">
            <LookFields
              look={{ ...form, id: pictureOf }}
              onChange={onChange}
              error={issues.customImage ?? issues.icon ?? issues.color}
            />
          </Field>
        </div>
      </SettingsGroup>
      <SettingsGroup
        title={t("assistants:instructions.title")}
        // They stand there as they are to be written.
        description={t("assistants:instructions.text", {
          date: "{{date}}",
          user: "{{user}}",
          doubled: "{{{{user}}}}",
        })}
      >
        <Field of="instructions">
          <TextAreaField
            label={t("assistants:instructions.label")}
            value={form.instructions}
            maxLength={limits.instructions}
            placeholder={t("assistants:instructions.example")}
            onChange={({ target }) => onChange({ instructions: target.value })}
            hint={t("assistants:instructions.count", {
              count: form.instructions.length,
              most: formatCount(limits.instructions),
            })}
            error={issues.instructions}
            style={{ fieldSizing: "content", minHeight: "9rem", maxHeight: "60vh" }}
          />
        </Field>
      </SettingsGroup>
      <SettingsGroup title={t("assistants:suggestions.title")} description={t("assistants:suggestions.text")}>
        <Field of="suggestions">
          <SuggestionFields rows={form.suggestions} onChange={(suggestions) => onChange({ suggestions })} />
          <Issue text={issues.suggestions} />
        </Field>
      </SettingsGroup>
      <SettingsGroup title={t("assistants:folders.title")} description={t("assistants:folders.text")}>
        <Field of="vectorIds">
          <FolderFields
            selected={form.vectorIds}
            error={issues.vectorIds}
            onChange={(vectorIds) => onChange({ vectorIds })}
          />
        </Field>
      </SettingsGroup>
      <SettingsGroup title={t("assistants:tools.title")} description={t("assistants:tools.text")}>
        <Field of="builtInTools">
          <ToolFields
            selected={form.tools}
            error={issues.builtInTools}
            onChange={(tools) => onChange({ tools })}
          />
        </Field>
      </SettingsGroup>
      <SettingsGroup title={t("assistants:permission.title")} description={t("assistants:permission.text")}>
        <Field of="permissionMode">
          <RadioRows
            label={t("assistants:permission.title")}
            options={PermissionMode.options.map((value) => ({
              value,
              name: t(`assistants:permission.${value}.name`),
              text: t(`assistants:permission.${value}.text`),
            }))}
            value={form.permissionMode}
            onChange={(permissionMode) => onChange({ permissionMode })}
          />
          {form.permissionMode === "bypass" && (
            <div className="mt-2">
              <Note kind="warning">{t("assistants:permission.warning")}</Note>
            </div>
          )}
          <Issue text={issues.permissionMode} />
        </Field>
      </SettingsGroup>
      <SettingsGroup title={t("assistants:visibility.title")} description={t("assistants:visibility.text")}>
        <Field of="visibility">
          <RadioRows
            label={t("assistants:visibility.title")}
            options={Visibility.options.map((value) => ({
              value,
              name: t(`folders:visibility.${value}`),
              text: t(`assistants:visibility.${value}`),
            }))}
            value={form.visibility}
            onChange={(visibility) => onChange({ visibility })}
          />
          {form.visibility !== "PRIVATE" && form.vectorIds.length > 0 && (
            <div className="mt-2">
              <Note kind="warning">
                {t("assistants:visibility.folders", { count: form.vectorIds.length })}
              </Note>
            </div>
          )}
          <Issue text={issues.visibility} />
        </Field>
      </SettingsGroup>
      <SettingsGroup
        title={t("assistants:enabled.title")}
        description={t("assistants:enabled.text")}
        action={
          <Switch
            aria-label={t("assistants:enabled.title")}
            checked={form.enabled}
            onCheckedChange={(enabled) => onChange({ enabled })}
          />
        }
      >
        {null}
      </SettingsGroup>
    </>
  )
}

/** Where a field stands, to bring it into view when the box refuses it. */
const Field = ({ of, children }: { of: IssueField; children: ReactNode }) => (
  <div data-field={of}>{children}</div>
)

function Issue({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p role="alert" className="mt-1.5 text-xs text-danger">
      {text}
    </p>
  )
}
