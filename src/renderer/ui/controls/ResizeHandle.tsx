import type { KeyboardEvent, PointerEvent } from "react"

interface ResizeHandleProps {
  /** Id of the element that it resizes, and its label. */
  controls: string
  label: string
  /** Width of the pane before it, in pixels. */
  width: number
  range: { min: number; max: number; usual: number }
  onResize: (width: number) => void
}

const step = 16

/** The divider between two panes. It can be dragged, moved with the arrow keys, Home and End, and reset by a double click. */
export function ResizeHandle({ controls, label, width, range, onResize }: ResizeHandleProps) {
  const { min, max, usual } = range
  const resize = (next: number) => onResize(Math.round(Math.min(max, Math.max(min, next))))

  function onPointerDown(event: PointerEvent<HTMLDivElement>) {
    if (event.button !== 0) return
    const handle = event.currentTarget
    const offset = width - event.clientX
    const drag = (move: globalThis.PointerEvent) => resize(move.clientX + offset)
    handle.setPointerCapture(event.pointerId)
    handle.addEventListener("pointermove", drag)
    handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", drag), {
      once: true,
    })
  }

  function onKeyDown(event: KeyboardEvent) {
    const next = {
      ArrowLeft: width - step,
      ArrowRight: width + step,
      Home: min,
      End: max,
      Enter: usual,
    }[event.key]
    if (next === undefined) return
    event.preventDefault()
    resize(next)
  }

  return (
    // A separator that can be focused is a control (WAI-ARIA, window splitter).
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- <hr> can't be moved
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-controls={controls}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      onDoubleClick={() => resize(usual)}
      className="group/handle absolute inset-y-0 -right-1 z-10 w-2 cursor-col-resize touch-none focus-visible:outline-none"
    >
      <span className="mx-auto block h-full w-0.5 transition-colors group-hover/handle:bg-line-strong group-focus-visible/handle:bg-accent group-active/handle:bg-accent" />
    </div>
  )
}
