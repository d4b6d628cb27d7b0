import type { ReactNode } from "react"
import type { IssueField } from "../editor/form-issues.ts"

/** Where a field stands, to bring it into view when the box refuses it. */
export const FormField = ({ of, children }: { of: IssueField; children: ReactNode }) => (
  <div data-field={of}>{children}</div>
)

export function Issue({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p role="alert" className="mt-1.5 text-xs text-danger">
      {text}
    </p>
  )
}
