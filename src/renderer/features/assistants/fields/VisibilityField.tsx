import { t } from "i18next"
import { Visibility } from "../../../../shared/contract/folders.ts"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Note } from "../../../ui/Note.tsx"
import type { FieldsProps } from "./fields-props.ts"
import { FormField, Issue } from "./FormField.tsx"
import { RadioRows } from "./RadioRows.tsx"

/** The people who may chat with the assistant, besides its owner. */
export function VisibilityField({ form, issues, onChange }: FieldsProps) {
  return (
    <SettingsGroup title={t("assistants:visibility.title")} description={t("assistants:visibility.text")}>
      <FormField of="visibility">
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
            <Note kind="warning">{t("assistants:visibility.folders", { count: form.vectorIds.length })}</Note>
          </div>
        )}
        <Issue text={issues.visibility} />
      </FormField>
    </SettingsGroup>
  )
}
