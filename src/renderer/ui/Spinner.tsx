import { LoaderCircle } from "lucide-react"
import { classNames } from "./class-names.ts"

/** Something is under way. Say what in text next to it, or in `label`: one that stands alone waits a moment to be shown. */
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
