import { Switch as Radix } from "radix-ui"
import type { ComponentProps } from "react"

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
