import { t } from "i18next"
import { TextField } from "../../../ui/controls/Field.tsx"
import type { FieldsProps } from "./fields-props.ts"
import { FormField } from "./FormField.tsx"
import { HandleField } from "./HandleField.tsx"
import { AppearanceFields } from "./AppearanceFields.tsx"

export interface IdentityFieldsProps extends FieldsProps {
  assistantId: string | undefined
  /** The assistant's ID while the image is the saved one. */
  pictureId: string | undefined
  /** The saved handle. */
  savedHandle: string | undefined
}

/** The properties shown with an assistant's name in lists and mentions. */
export function IdentityFields({
  form,
  assistantId,
  pictureId,
  savedHandle,
  issues,
  onChange,
}: IdentityFieldsProps) {
  return (
    <div className="mb-8 flex flex-col gap-4">
      <FormField of="handle">
        <HandleField
          handle={form.handle}
          name={form.name}
          assistantId={assistantId}
          saved={savedHandle}
          error={issues.handle}
          onChange={(handle) => onChange({ handle })}
        />
      </FormField>
      <FormField of="description">
        <TextField
          label={t("assistants:description.label")}
          value={form.description}
          hint={t("assistants:description.hint")}
          onChange={({ target }) => onChange({ description: target.value })}
          error={issues.description}
          spellCheck
        />
      </FormField>
      <FormField of="customImage icon color">
        <AppearanceFields
          appearance={{ ...form, id: pictureId }}
          onChange={onChange}
          error={issues.customImage ?? issues.icon ?? issues.color}
        />
      </FormField>
    </div>
  )
}
