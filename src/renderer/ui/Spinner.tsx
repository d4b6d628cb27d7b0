import { LoaderCircle } from "lucide-react"

/** Something is under way. Say what in text next to it, or in `label`. */
export function Spinner({ label }: { label?: string }) {
  return (
    <span role={label === undefined ? undefined : "status"} className="inline-flex">
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
      {label !== undefined && <span className="sr-only">{label}</span>}
    </span>
  )
}
