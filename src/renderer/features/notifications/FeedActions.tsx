import { t } from "i18next"
import { BellMinus, BellOff, CheckCheck, Settings } from "lucide-react"
import type { ReactNode } from "react"
import type { Category } from "../../../shared/contract/notifications.ts"
import { markAllRead, useUnreadCount } from "../../data/notifications.ts"
import { useChangeSettings, useSettings } from "../../data/settings.ts"
import { inAnHour, tomorrowMorning } from "../../lib/moments.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { quietUntil, useQuietMode } from "../../lib/quiet-mode.ts"
import { formatMoment } from "../../lib/words/format.ts"
import { Note } from "../../ui/Note.tsx"
import { classNames } from "../../ui/class-names.ts"
import { IconButton, Button, IconLink } from "../../ui/controls/Button.tsx"
import { Menu, MenuItem } from "../../ui/layers/Menu.tsx"
import { showError } from "../../lib/toasts.ts"

/** Do not disturb, for a while or permanently. */
function QuietMenu() {
  const [quiet, setQuiet] = useQuietMode()
  return (
    <Menu
      trigger={
        <IconButton label={t("notifications:doNotDisturb")} className={classNames(quiet && "bg-selected")}>
          {quiet ? <BellOff aria-hidden /> : <BellMinus aria-hidden />}
        </IconButton>
      }
    >
      <MenuItem onSelect={() => setQuiet(inAnHour(new Date()))}>{t("areas:quiet.hour")}</MenuItem>
      <MenuItem onSelect={() => setQuiet(tomorrowMorning(new Date()))}>{t("areas:quiet.tomorrow")}</MenuItem>
      <MenuItem onSelect={() => setQuiet(true)}>{t("areas:quiet.always")}</MenuItem>
      {quiet && <MenuItem onSelect={() => setQuiet(false)}>{t("areas:quiet.off")}</MenuItem>}
    </Menu>
  )
}

/** Says that popups are off, and until when. */
export function QuietNote() {
  const [quiet] = useQuietMode()
  if (!quiet) return null
  const until = quietUntil()
  return (
    <p className="border-b border-line bg-well px-4 py-1.5 text-xs text-soft">
      {until
        ? t("areas:quiet.until", { moment: formatMoment(until.toISOString()) })
        : t("notifications:quietNow")}
    </p>
  )
}

/** Says that a category is switched off, and how to switch it on. */
export function MutedNote({ category }: { category: Category }) {
  const { data: settings } = useSettings()
  const change = useChangeSettings()
  if (settings?.mutedCategories.includes(category) !== true) return null
  const others = settings.mutedCategories.filter((other) => other !== category)
  return (
    <div className="p-3">
      <Note
        action={
          <Button
            variant="quiet"
            busy={change.isPending}
            onClick={() => change.mutate({ mutedCategories: others }, { onError: showError })}
          >
            {t("areas:unmute")}
          </Button>
        }
      >
        {t("areas:muted")}
      </Note>
    </div>
  )
}

interface FeedActionsProps {
  /** Called when a link is followed. */
  onLeave?: () => void
  /** Shown before the link to the settings. */
  children?: ReactNode
}

/** Actions for all notifications, wherever they are listed. */
export function FeedActions({ onLeave, children }: FeedActionsProps) {
  const unread = useUnreadCount() ?? 0
  return (
    <>
      <IconButton
        label={t("notifications:markAllRead")}
        disabled={unread === 0}
        onClick={() => void markAllRead().catch(showError)}
      >
        <CheckCheck aria-hidden />
      </IconButton>
      <QuietMenu />
      {children}
      <IconLink href={routes.notificationSettings} label={t("notifications:settings")} onClick={onLeave}>
        <Settings aria-hidden />
      </IconLink>
    </>
  )
}
