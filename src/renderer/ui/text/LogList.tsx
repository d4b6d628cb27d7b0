import type { ReactNode, Ref } from "react"
import { formatFullMoment, formatTime } from "../../lib/words/format.ts"
import { classNames } from "../class-names.ts"

interface LogListProps {
  label: string
  className: string
  ref?: Ref<HTMLUListElement>
  children: ReactNode
}

/** Log lines, oldest first, in a scrollable list. */
export function LogList({ label, className, ref, children }: LogListProps) {
  return (
    <ul
      ref={ref}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys
      tabIndex={0}
      aria-label={label}
      className={classNames("overflow-auto bg-well font-mono text-xs", className)}
    >
      {children}
    </ul>
  )
}

/** A log line: its time, then its text. */
export function LogEntry({ time, children }: { time: string; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2 px-3 py-0.5">
      <time dateTime={time} title={formatFullMoment(time)} className="shrink-0 text-faint">
        {formatTime(time)}
      </time>
      {children}
    </li>
  )
}
