import { t } from "i18next"
import { ShieldCheck } from "lucide-react"
import { Link } from "wouter"
import { useSettings } from "../../data/settings.ts"
import { routes } from "../../lib/navigation/routes.ts"

/** Shown in the frame while local-only is on. */
export function LocalOnlyHint() {
  const { data: settings } = useSettings()
  if (settings?.localOnly !== true) return null
  return (
    <Link
      href={routes.privacy}
      aria-label={t("frame:localOnly")}
      title={t("frame:localOnly")}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-good hover:bg-hover"
    >
      <ShieldCheck className="size-4" aria-hidden />
    </Link>
  )
}
