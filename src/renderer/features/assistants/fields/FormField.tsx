import type { ReactNode } from "react"
import type { AssistantForm, FormChanges, FormIssues, IssueField } from "../editor/form.ts"

/** Props of each section of an assistant's form. */
export interface FieldsProps {
  form: AssistantForm
  issues: FormIssues
  onChange: (part: FormChanges) => void
}

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

interface FieldGroupProps {
  title: string
  text: string
  children: ReactNode
}

/** A titled section of the form, compact enough that others fit on the same screen. */
export function FieldGroup({ title, text, children }: FieldGroupProps) {
  return (
    <section className="mb-6">
      <div className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
        <h2 className="text-sm font-medium">{title}</h2>
        <p className="text-xs text-faint">{text}</p>
      </div>
      {children}
    </section>
  )
}

interface RadioRowsProps<T extends string> {
  label: string
  options: readonly { value: T; name: string; text: string }[]
  value: T
  onChange: (value: T) => void
}

/** A choice between a few options, each explained in a sentence. */
export function RadioRows<T extends string>({ label, options, value, onChange }: RadioRowsProps<T>) {
  return (
    <fieldset aria-label={label} className="flex flex-col gap-1.5">
      {options.map((option) => (
        <label
          key={option.value}
          className="flex items-start gap-2.5 rounded-lg border border-line px-3 py-2 transition-colors hover:bg-hover has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={label}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            aria-label={option.name}
            className="mt-1 size-3.5 shrink-0 accent-solid focus-visible:outline-none"
          />
          <span className="text-sm">
            <span className="block font-medium">{option.name}</span>
            <span className="block text-xs text-soft">{option.text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
