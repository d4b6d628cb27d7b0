import { useEffect, type ReactNode } from "react"

interface PageHeaderProps {
  title: string
  /** Shown before the title, such as an icon. */
  icon?: ReactNode
  /** Actions on the right. */
  children?: ReactNode
}

/** The bar at the top of a page. Its title is also the window's title. Actions can shorten their labels in a narrow bar (`@max-xl:`). */
export function PageHeader({ title, icon, children }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} · Casella`
    return () => {
      document.title = "Casella"
    }
  }, [title])
  return (
    <header className="@container flex h-12 shrink-0 items-center gap-2 border-b border-line px-4 in-[.sidebar-closed]:pl-20">
      {icon}
      <h1 title={title} className="min-w-0 flex-1 truncate font-medium">
        {title}
      </h1>
      {children}
    </header>
  )
}
