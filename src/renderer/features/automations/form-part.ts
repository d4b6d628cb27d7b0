import type { AutomationForm } from "./automation-form.ts"

/** Props of a section of the editor. */
export interface FormPartProps {
  form: AutomationForm
  /** Error messages by field. */
  issues: Record<string, string | undefined>
  onChange: (part: Partial<AutomationForm>) => void
}
