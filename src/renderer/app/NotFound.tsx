import { t } from "i18next"
import { Compass } from "lucide-react"
import { routes } from "../lib/navigation/routes.ts"
import { ButtonLink } from "../ui/controls/Button.tsx"
import { EmptyState, PageHeader } from "../ui/PageParts.tsx"

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
