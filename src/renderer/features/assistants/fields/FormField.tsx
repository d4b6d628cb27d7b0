import type { ReactNode } from "react"
import type { IssueField } from "../editor/form-issues.ts"

/** Wraps one or more fields, so that they can be scrolled into view when the box refuses one. */
export const FormField = ({
  of,
  children,
}: {
  of: IssueField | "customImage icon color"
  children: ReactNode
}) => <div data-field={of}>{children}</div>

export function Issue({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p role="alert" className="mt-1.5 text-xs text-danger">
      {text}
    </p>
  )
}
