import { t } from "i18next"
import { PermissionMode } from "../../../../shared/contract/assistants.ts"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Note } from "../../../ui/Note.tsx"
import type { FieldsProps } from "./fields-props.ts"
import { FormField, Issue } from "./FormField.tsx"
import { RadioRows } from "./RadioRows.tsx"

/** Selects what the assistant's tools may do without approval. */
export function PermissionField({ form, issues, onChange }: FieldsProps) {
  return (
    <SettingsGroup title={t("assistants:permission.title")} description={t("assistants:permission.text")}>
      <FormField of="permissionMode">
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
      </FormField>
    </SettingsGroup>
  )
}
