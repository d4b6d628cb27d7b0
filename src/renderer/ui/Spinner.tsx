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
