import { t } from "i18next"
import { TextField } from "../../../ui/controls/Field.tsx"
import { Note } from "../../../ui/Note.tsx"
import { FieldGroup } from "./FieldGroup.tsx"
import { FolderFields } from "./FolderFields.tsx"
import { FormField } from "./FormField.tsx"
import type { IdentityFieldsProps } from "./IdentityFields.tsx"
import { InstructionsField } from "./InstructionsField.tsx"
import { MoreFields } from "./MoreFields.tsx"
import { ToolFields } from "./ToolFields.tsx"
import { useMore, type Revealed } from "./use-more.ts"

interface AssistantFieldsProps extends IdentityFieldsProps {
  /** The last field that a refused save led to. */
  revealed: Revealed | undefined
}

/** The form of an assistant: the common fields, and the rest under More. */
export function AssistantFields({ revealed, ...props }: AssistantFieldsProps) {
  const { form, issues, onChange } = props
  const more = useMore(revealed)
  return (
    <>
      <div className="mb-6 flex flex-col gap-4">
        <FormField of="name">
          <TextField
            label={t("assistants:name.label")}
            placeholder={t("assistants:name.example")}
            value={form.name}
            onChange={({ target }) => onChange({ name: target.value })}
            error={issues.name}
          />
        </FormField>
        <InstructionsField form={form} issues={issues} onChange={onChange} />
      </div>
      <FieldGroup title={t("assistants:folders.title")} text={t("assistants:folders.text")}>
        <FormField of="vectorIds">
          <FolderFields
            selected={form.vectorIds}
            error={issues.vectorIds}
            onChange={(vectorIds) => onChange({ vectorIds })}
          />
          {!more.open && form.visibility !== "PRIVATE" && form.vectorIds.length > 0 && (
            <div className="mt-2">
              <Note kind="warning">{t("assistants:folders.shared")}</Note>
            </div>
          )}
        </FormField>
      </FieldGroup>
      <FieldGroup title={t("assistants:tools.title")} text={t("assistants:tools.text")}>
        <FormField of="builtInTools">
          <ToolFields
            selected={form.tools}
            error={issues.builtInTools}
            onChange={(tools) => onChange({ tools })}
          />
        </FormField>
      </FieldGroup>
      <MoreFields {...props} {...more} />
    </>
  )
}
