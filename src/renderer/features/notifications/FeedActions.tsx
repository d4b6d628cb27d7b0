import { t } from "i18next"
import { CheckCheck, Settings } from "lucide-react"
import type { ReactNode } from "react"
import { markAllRead, useUnreadCount } from "../../data/notifications.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { IconButton, IconLink } from "../../ui/controls/Button.tsx"
import { showFailure } from "./open-notification.ts"
import { QuietMenu } from "./QuietMenu.tsx"

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
        onClick={() => void markAllRead().catch(showFailure)}
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
