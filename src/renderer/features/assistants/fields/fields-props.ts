import type { AssistantForm, FormChanges } from "../editor/form.ts"
import type { FormIssues } from "../editor/form-issues.ts"

/** What each group of an assistant's form is given. */
export interface FieldsProps {
  form: AssistantForm
  issues: FormIssues
  onChange: (part: FormChanges) => void
}
