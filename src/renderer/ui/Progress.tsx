import { LoaderCircle } from "lucide-react"
import { classNames } from "./class-names.ts"

/** Shows that work is in progress. Describe it in the text next to it, or in `label`. A spinner on its own appears after a short delay. */
export function Spinner({ label }: { label?: string }) {
  return (
    <span
      role={label === undefined ? undefined : "status"}
      className={classNames("inline-flex", label !== undefined && "animate-late")}
    >
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
      {label !== undefined && <span className="sr-only">{label}</span>}
    </span>
  )
}

/** Shows progress from 0 to 100. */
export function ProgressBar({ percent, label }: { percent: number; label: string }) {
  return (
    <progress
      aria-label={label}
      max={100}
      value={Math.min(100, Math.max(0, percent))}
      className="block h-1 w-full appearance-none overflow-hidden rounded-full border-none bg-line [&::-moz-progress-bar]:bg-solid [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-solid [&::-webkit-progress-value]:transition-all"
    />
  )
}
