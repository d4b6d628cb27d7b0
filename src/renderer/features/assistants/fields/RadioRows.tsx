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
