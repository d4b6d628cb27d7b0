import { t } from "i18next"
import { ChevronLeft, ChevronRight } from "lucide-react"
import { useLocation } from "wouter"
import { routes } from "../../lib/navigation/routes.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import type { BranchPoint } from "./session/branch-points.ts"

interface BranchSwitchProps {
  chatId: string
  point: BranchPoint
}

/** Switches between versions of a question or an answer. */
export function BranchSwitch({ chatId, point: { variants, shown } }: BranchSwitchProps) {
  const [, navigate] = useLocation()
  const go = (index: number) => () => {
    const variant = variants[index]
    if (variant) navigate(routes.chatMessage(chatId, variant.messageId, variant.branch))
  }
  const place = { number: shown + 1, count: variants.length }
  return (
    <fieldset aria-label={t("chat:versions")} className="flex items-center text-xs text-faint">
      <IconButton label={t("chat:previousVersion")} onClick={go(shown - 1)} disabled={shown === 0}>
        <ChevronLeft aria-hidden />
      </IconButton>
      <span className="tabular-nums" aria-label={t("chat:versionOf", place)}>
        {t("chat:versionShort", place)}
      </span>
      <IconButton
        label={t("chat:nextVersion")}
        onClick={go(shown + 1)}
        disabled={shown === variants.length - 1}
      >
        <ChevronRight aria-hidden />
      </IconButton>
    </fieldset>
  )
}
