import { t } from "i18next"
import { MessageSquareOff } from "lucide-react"
import { Link } from "wouter"
import { routes } from "../../lib/routes.ts"
import { EmptyState } from "../../ui/EmptyState.tsx"

/** Stands in for a chat that isn't there. */
export function MissingChat() {
  return (
    <EmptyState
      icon={MessageSquareOff}
      title={t("chat:missing.title")}
      action={
        <Link href={routes.newChat} className="rounded text-sm font-medium text-accent">
          {t("chat:missing.action")}
        </Link>
      }
    >
      {t("chat:missing.text")}
    </EmptyState>
  )
}
