import { t } from "i18next"
import { MessageSquareOff } from "lucide-react"
import { routes } from "../../lib/navigation/routes.ts"
import { ButtonLink } from "../../ui/controls/Button.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"

/** Shown for a chat that doesn't exist. */
export function MissingChat() {
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("frame:notFound.name")} />
      <EmptyState
        icon={MessageSquareOff}
        title={t("chat:missing.title")}
        action={<ButtonLink href={routes.newChat}>{t("chat:missing.action")}</ButtonLink>}
      >
        {t("chat:missing.text")}
      </EmptyState>
    </section>
  )
}
