import { t } from "i18next"
import { Search, X } from "lucide-react"
import type { ComponentProps } from "react"
import { classNames } from "../class-names.ts"

interface SearchFieldProps extends Omit<ComponentProps<"input">, "onChange" | "value"> {
  /** Its accessible name and placeholder. */
  label: string
  value: string
  onChange: (value: string) => void
  /** Called for Backspace in the empty field. */
  onErase?: () => void
}

/** A filter for a list. Esc clears it. */
export function SearchField({ label, value, onChange, onErase, className, ...rest }: SearchFieldProps) {
  return (
    <div className={classNames("relative", className)}>
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
        aria-hidden
      />
      <input
        type="text"
        role="searchbox"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        {...rest}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value !== "") {
            event.preventDefault()
            onChange("")
          }
          if (event.key === "Backspace" && value === "") onErase?.()
        }}
        className="h-8 w-full rounded-md border border-line bg-field pr-7 pl-8 text-sm transition-colors hover:border-line-strong focus-visible:outline-offset-0"
      />
      {value !== "" && (
        <button
          type="button"
          aria-label={t("common:clear")}
          onClick={() => onChange("")}
          className="absolute top-1/2 right-1 flex size-6 -translate-y-1/2 items-center justify-center rounded text-faint hover:text-ink"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      )}
    </div>
  )
}
