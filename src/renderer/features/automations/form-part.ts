import type { AutomationForm } from "./automation-form.ts"

/** What a part of the editor shows and changes. */
export interface FormPartProps {
  form: AutomationForm
  /** What is wrong, by field. */
  issues: Record<string, string | undefined>
  onChange: (part: Partial<AutomationForm>) => void
}
