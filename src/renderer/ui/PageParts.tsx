import { t } from "i18next"
import { type LucideIcon, Compass } from "lucide-react"
import { useEffect, type ReactNode } from "react"
import { routes } from "../lib/navigation/routes.ts"
import { ButtonLink } from "./controls/Button.tsx"

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

/** The frame of pages shown before the app, such as sign-in. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex h-full items-center justify-center overflow-y-auto bg-sidebar p-6">
      <div className="w-full max-w-sm animate-appear">
        <img src="/casella.svg" alt="" className="mb-5 size-10" />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        <div className="mt-2 flex flex-col gap-3 text-soft">{children}</div>
      </div>
    </main>
  )
}

/** Shown for an unknown address. */
export function NotFound() {
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("frame:notFound.name")} />
      <EmptyState
        icon={Compass}
        title={t("frame:notFound.title")}
        action={<ButtonLink href={routes.newChat}>{t("frame:notFound.action")}</ButtonLink>}
      >
        {t("frame:notFound.text")}
      </EmptyState>
    </section>
  )
}
