import { useId, type ComponentProps, type ReactNode } from "react"
import { classNames } from "../class-names.ts"

const control =
  "w-full rounded-md border bg-field px-2.5 text-base text-ink transition-colors focus-visible:outline-offset-0 disabled:opacity-50"

interface LabelledProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
}

/** A label above a control, with a hint or an error message below it. */
function Labelled({ label, hint, error, id, children }: LabelledProps & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children}
      {(error ?? hint) !== undefined && (
        <p
          id={`${id}-note`}
          className={classNames("text-xs", error === undefined ? "text-faint" : "text-danger")}
        >
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

const described = (id: string, { hint, error }: LabelledProps) => ({
  id,
  "aria-invalid": error !== undefined,
  "aria-describedby": (error ?? hint) === undefined ? undefined : `${id}-note`,
})

const border = (error: string | undefined) =>
  error === undefined ? "border-line-strong hover:border-faint" : "border-danger"

export function TextField({ label, hint, error, ...rest }: LabelledProps & ComponentProps<"input">) {
  const id = useId()
  return (
    <Labelled label={label} hint={hint} error={error} id={id}>
      <input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        {...described(id, { label, hint, error })}
        className={classNames(control, "h-9", border(error))}
      />
    </Labelled>
  )
}

export function TextAreaField({ label, hint, error, ...rest }: LabelledProps & ComponentProps<"textarea">) {
  const id = useId()
  return (
    <Labelled label={label} hint={hint} error={error} id={id}>
      <textarea
        rows={2}
        {...rest}
        {...described(id, { label, hint, error })}
        className={classNames(control, "resize-y py-1.5", border(error))}
      />
    </Labelled>
  )
}

export function SelectField({ label, hint, error, ...rest }: LabelledProps & ComponentProps<"select">) {
  const id = useId()
  return (
    <Labelled label={label} hint={hint} error={error} id={id}>
      <select
        {...rest}
        {...described(id, { label, hint, error })}
        className={classNames(control, "h-9", border(error))}
      />
    </Labelled>
  )
}
