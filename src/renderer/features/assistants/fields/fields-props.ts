import type { AssistantForm, FormChanges } from "../editor/form.ts"
import type { FormIssues } from "../editor/form-issues.ts"

/** Props of each section of an assistant's form. */
export interface FieldsProps {
  form: AssistantForm
  issues: FormIssues
  onChange: (part: FormChanges) => void
}
