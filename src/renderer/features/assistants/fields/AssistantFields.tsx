import { t } from "i18next"
import { SettingsGroup } from "../../../ui/controls/SettingsGroup.tsx"
import { Switch } from "../../../ui/controls/Switch.tsx"
import { FolderFields } from "./FolderFields.tsx"
import { FormField, Issue } from "./FormField.tsx"
import { IdentityFields, type IdentityFieldsProps } from "./IdentityFields.tsx"
import { InstructionsField } from "./InstructionsField.tsx"
import { ModelField } from "./ModelField.tsx"
import { PermissionField } from "./PermissionField.tsx"
import { SuggestionFields } from "./SuggestionFields.tsx"
import { ToolFields } from "./ToolFields.tsx"
import { VisibilityField } from "./VisibilityField.tsx"

/** The form of an assistant, in the order in which one thinks of it. */
export function AssistantFields(props: IdentityFieldsProps) {
  const { form, issues, onChange } = props
  return (
    <>
      <IdentityFields {...props} />
      <InstructionsField form={form} issues={issues} onChange={onChange} />
      <ModelField form={form} issues={issues} onChange={onChange} />
      <SettingsGroup title={t("assistants:suggestions.title")} description={t("assistants:suggestions.text")}>
        <FormField of="suggestions">
          <SuggestionFields rows={form.suggestions} onChange={(suggestions) => onChange({ suggestions })} />
          <Issue text={issues.suggestions} />
        </FormField>
      </SettingsGroup>
      <SettingsGroup title={t("assistants:folders.title")} description={t("assistants:folders.text")}>
        <FormField of="vectorIds">
          <FolderFields
            selected={form.vectorIds}
            error={issues.vectorIds}
            onChange={(vectorIds) => onChange({ vectorIds })}
          />
        </FormField>
      </SettingsGroup>
      <SettingsGroup title={t("assistants:tools.title")} description={t("assistants:tools.text")}>
        <FormField of="builtInTools">
          <ToolFields
            selected={form.tools}
            error={issues.builtInTools}
            onChange={(tools) => onChange({ tools })}
          />
        </FormField>
      </SettingsGroup>
      <PermissionField form={form} issues={issues} onChange={onChange} />
      <VisibilityField form={form} issues={issues} onChange={onChange} />
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
