import { useEffect, useId, type FocusEvent, type PointerEvent, type ReactNode } from "react"
import { hideTooltip, rewordTooltip, showTooltip } from "./tooltip-store.ts"

interface TooltipProps {
  text: string
  /** The equivalent keyboard shortcut. */
  keys?: string
  children: ReactNode
}

/** A short hint on hover and on keyboard focus. It repeats the control's name, so nothing depends on it. */
export function Tooltip({ text, keys, children }: TooltipProps) {
  const owner = useId()
  useEffect(() => rewordTooltip(owner, text), [owner, text])
  useEffect(() => () => hideTooltip(owner), [owner])

  function show(event: PointerEvent | FocusEvent, isImmediate: boolean) {
    const anchor = event.currentTarget.firstElementChild
    if (anchor) showTooltip({ owner, text, keys, anchor }, isImmediate)
  }
  const hide = () => hideTooltip(owner)

  return (
    <span
      className="contents"
      onPointerEnter={(event) => event.pointerType !== "touch" && show(event, false)}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event) => event.target.matches(":focus-visible") && show(event, true)}
      onBlur={hide}
    >
      {children}
    </span>
  )
}
