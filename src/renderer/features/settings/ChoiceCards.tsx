import type { ReactNode } from "react"

interface ChoiceCardsProps<T extends string> {
  label: string
  options: readonly { value: T; name: string; sign: ReactNode }[]
  value: T
  onChange: (value: T) => void
}

/** A choice between a few options, each shown as a card with an icon. */
export function ChoiceCards<T extends string>({ label, options, value, onChange }: ChoiceCardsProps<T>) {
  return (
    <fieldset aria-label={label} className="grid max-w-md grid-cols-3 gap-2">
      {options.map((option) => (
        <label
          key={option.value}
          className="flex flex-col items-center gap-2 rounded-lg border border-line px-3 py-4 text-center text-sm text-soft transition-colors hover:bg-hover has-checked:border-accent has-checked:bg-tint has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent [&_svg]:size-5"
        >
          <input
            type="radio"
            name={label}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
            className="sr-only"
          />
          {option.sign}
          {option.name}
        </label>
      ))}
    </fieldset>
  )
}
