import { t } from "i18next"
import { formatCount } from "../../../lib/words/format.ts"
import { TextAreaField } from "../../../ui/controls/Field.tsx"
import { limits } from "../editor/form.ts"
import type { FieldsProps } from "./fields-props.ts"
import { FormField } from "./FormField.tsx"

/** The instructions that the model gets before every chat. */
export function InstructionsField({ form, issues, onChange }: FieldsProps) {
  return (
    <FormField of="instructions">
      <TextAreaField
        label={t("assistants:instructions.label")}
        value={form.instructions}
        placeholder={t("assistants:instructions.example")}
        onChange={({ target }) => onChange({ instructions: target.value })}
        hint={t("assistants:instructions.text", {
          count: form.instructions.length,
          most: formatCount(limits.instructions),
          // The hint shows these placeholders literally, as they must be typed.
          date: "{{date}}",
          user: "{{user}}",
        })}
        error={issues.instructions}
        style={{ fieldSizing: "content", minHeight: "6rem", maxHeight: "60vh" }}
      />
    </FormField>
  )
}
