import { t } from "i18next"
import { FolderOpen } from "lucide-react"
import { useId, type ComponentProps, type ReactNode } from "react"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { classNames } from "../class-names.ts"
import { Button } from "./Button.tsx"

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

interface PathFieldProps extends Omit<ComponentProps<typeof TextField>, "value" | "onChange" | "maxLength"> {
  /** A directory can be chosen in the system's dialog, if there is one. */
  kind: "directory" | "file"
  value: string
  onPath: (path: string) => void
}

/** A path on this computer: typed, chosen, or dropped. Browsers don't reveal the path of a dropped file. */
export function PathField({ kind, value, onPath, ...rest }: PathFieldProps) {
  const bridge = shellBridge()

  async function pick() {
    const picked = await bridge?.pickDirectory()
    if (typeof picked === "string") onPath(picked)
  }

  return (
    <div className="flex items-start gap-2">
      <div className="flex-1">
        <TextField
          {...rest}
          value={value}
          maxLength={4096}
          onChange={({ target }) => onPath(target.value)}
          onDrop={(event) => {
            const [file] = event.dataTransfer.files
            const path = file && bridge?.getPath(file)
            if (path === undefined || path === "") return
            event.preventDefault()
            onPath(path)
          }}
        />
      </div>
      {kind === "directory" && bridge && (
        <Button onClick={() => void pick()} className="mt-6.5 h-9">
          <FolderOpen aria-hidden /> {t("common:choose")}
        </Button>
      )}
    </div>
  )
}
