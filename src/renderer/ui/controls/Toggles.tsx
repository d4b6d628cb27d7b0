import { Switch as Radix } from "radix-ui"
import { type ComponentProps, useId, type ReactNode } from "react"
import { classNames } from "../class-names.ts"

/** A setting that is on or off. Name it with `aria-label` or a label. */
export function Switch(props: Omit<ComponentProps<typeof Radix.Root>, "className" | "children">) {
  return (
    <Radix.Root
      {...props}
      className="inline-flex h-5 w-9 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors data-[disabled]:opacity-50 data-[state=checked]:bg-solid"
    >
      <Radix.Thumb className="size-4 rounded-full bg-on-solid transition-transform data-[state=checked]:translate-x-4" />
    </Radix.Root>
  )
}

interface TickRowProps {
  name: string
  description: string
  /** Short labels next to the name. */
  badges?: ReactNode
  on: boolean
  onToggle: () => void
}

/** A list entry with a checkbox and a description. */
export function TickRow({ name, description, badges, on, onToggle }: TickRowProps) {
  const id = useId()
  return (
    <li>
      <label className="flex h-full items-start gap-2 rounded-md px-1.5 py-1 transition-colors hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent">
        <input
          type="checkbox"
          checked={on}
          onChange={onToggle}
          aria-label={name}
          aria-describedby={`${id}-badges ${id}-text`}
          className="mt-0.5 size-4 shrink-0 accent-solid focus-visible:outline-none"
        />
        <span className="min-w-0 flex-1 text-sm">
          <span className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
            <span className="truncate font-medium" title={name}>
              {name}
            </span>
            <span id={`${id}-badges`} className="flex gap-1.5 empty:hidden">
              {badges}
            </span>
          </span>
          <span id={`${id}-text`} className="block text-xs break-words text-faint">
            {description}
          </span>
        </span>
      </label>
    </li>
  )
}

interface ChipProps {
  pressed: boolean
  onClick: () => void
  children: ReactNode
}

/** A filter that is on or off. */
export function Chip({ pressed, onClick, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onClick}
      className={classNames(
        "inline-flex h-7 items-center rounded-full border px-3 text-sm transition-colors",
        pressed
          ? "border-accent bg-tint text-accent"
          : "border-line-strong text-soft hover:bg-hover hover:text-ink",
      )}
    >
      {children}
    </button>
  )
}
