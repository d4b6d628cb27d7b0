import type { LucideIcon } from "lucide-react"
import type { ReactNode } from "react"

interface EmptyStateProps {
  icon: LucideIcon
  title: string
  children?: ReactNode
  /** The suggested next step. */
  action?: ReactNode
}

/** Shown if there is nothing to list: the reason and what to do. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="m-auto flex max-w-sm animate-appear flex-col items-center px-6 py-10 text-center text-balance">
      <span className="mb-4 flex size-10 items-center justify-center rounded-xl border border-line bg-well text-soft">
        <Icon className="size-5" strokeWidth={1.75} aria-hidden />
      </span>
      <h2 className="font-medium">{title}</h2>
      {children !== undefined && <div className="mt-1 text-sm text-soft">{children}</div>}
      {action !== undefined && <div className="mt-4 flex gap-2">{action}</div>}
    </div>
  )
}
