import { CircleAlert, Info, TriangleAlert } from "lucide-react"
import type { ReactNode } from "react"
import { classNames } from "./class-names.ts"

const kinds = {
  info: { icon: Info, tint: "bg-well text-soft", glyph: "text-faint" },
  warning: { icon: TriangleAlert, tint: "bg-warning-tint text-ink", glyph: "text-warning" },
  error: { icon: CircleAlert, tint: "bg-danger-tint text-ink", glyph: "text-danger" },
}

interface NoteProps {
  kind?: keyof typeof kinds
  children: ReactNode
  action?: ReactNode
}

/** A calm line about a state or a fault, with what can be done about it. */
export function Note({ kind = "info", children, action }: NoteProps) {
  const { icon: Icon, tint, glyph } = kinds[kind]
  return (
    <div
      role={kind === "error" ? "alert" : "note"}
      className={classNames("flex items-start gap-2.5 rounded-lg px-3 py-2 text-sm", tint)}
    >
      <Icon className={classNames("mt-0.5 size-4 shrink-0", glyph)} aria-hidden />
      <div className="min-w-0 flex-1 break-words">{children}</div>
      {action}
    </div>
  )
}
