import { t } from "i18next"
import { Disclosure, SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Switch } from "../../../ui/controls/Toggles.tsx"
import type { AssistantForm } from "../editor/form.ts"
import { FormField, Issue } from "./FormField.tsx"
import { IdentityFields, type IdentityFieldsProps } from "./IdentityFields.tsx"
import { ModelField } from "./ModelField.tsx"
import { PermissionField } from "./PermissionField.tsx"
import { SuggestionFields } from "./SuggestionFields.tsx"
import { VisibilityField } from "./VisibilityField.tsx"

interface MoreFieldsProps extends IdentityFieldsProps {
  open: boolean
  onToggle: () => void
}

/** Fields with sensible defaults. When collapsed, a line shows who may use the assistant and when it asks for approval. */
export function MoreFields({ open, onToggle, ...props }: MoreFieldsProps) {
  const { form, issues, onChange } = props
  return (
    <section aria-label={t("assistants:more.title")} className="border-t border-line pt-3 pb-6">
      <Disclosure
        heading
        title={t("assistants:more.title")}
        summary={getSummary(form)}
        open={open}
        onToggle={onToggle}
      >
        <div className="pt-3">
          <IdentityFields {...props} />
          <ModelField form={form} issues={issues} onChange={onChange} />
          <SettingsGroup
            title={t("assistants:suggestions.title")}
            description={t("assistants:suggestions.text")}
          >
            <FormField of="suggestions">
              <SuggestionFields
                rows={form.suggestions}
                onChange={(suggestions) => onChange({ suggestions })}
              />
              <Issue text={issues.suggestions} />
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
        </div>
      </Disclosure>
    </section>
  )
}

const getSummary = ({ handle, visibility, permissionMode, enabled }: AssistantForm): string =>
  [
    ...(handle === "" ? [] : [`@${handle}`]),
    t(`folders:visibility.${visibility}`),
    t(`assistants:more.asks.${permissionMode}`),
    ...(enabled ? [] : [t("assistants:off")]),
  ].join(" · ")
