import { t } from "i18next"
import { BellMinus, BellOff, CheckCheck, Settings } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import { Category } from "../../../shared/contract/notification-categories.ts"
import { markAllRead, useUnreadCount, type FeedFilter } from "../../data/notifications.ts"
import { useQuietMode } from "../../lib/quiet-mode.ts"
import { routes } from "../../lib/places/routes.ts"
import { classNames } from "../../ui/class-names.ts"
import { IconButton } from "../../ui/controls/IconButton.tsx"
import { NotificationList } from "./NotificationList.tsx"
import { sayFailure } from "./open-notification.ts"

const everything = "all"

/** What the bell opens: filters over the list of notifications. */
export function NotificationPanel({ onLeave }: { onLeave: () => void }) {
  const [filter, setFilter] = useState<FeedFilter>({ unreadOnly: false, category: undefined })
  const [quiet, setQuiet] = useQuietMode()
  const unread = useUnreadCount() ?? 0
  return (
    <>
      <header className="flex items-center gap-1 py-2 pr-2.5 pl-4">
        <h2 className="flex-1 font-medium">{t("notifications:title")}</h2>
        <IconButton
          label={t("notifications:markAllRead")}
          disabled={unread === 0}
          onClick={() => void markAllRead().catch(sayFailure)}
        >
          <CheckCheck aria-hidden />
        </IconButton>
        <IconButton
          label={t("notifications:doNotDisturb")}
          aria-pressed={quiet}
          onClick={() => setQuiet(!quiet)}
          className={classNames(quiet && "bg-selected")}
        >
          {quiet ? <BellOff aria-hidden /> : <BellMinus aria-hidden />}
        </IconButton>
        <Link
          href={routes.notificationSettings}
          onClick={onLeave}
          aria-label={t("notifications:settings")}
          title={t("notifications:settings")}
          className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
        >
          <Settings className="size-4" aria-hidden />
        </Link>
      </header>
      <div className="flex items-center gap-2 border-b border-line px-4 pb-2.5">
        <button
          type="button"
          aria-pressed={filter.unreadOnly}
          onClick={() => setFilter({ ...filter, unreadOnly: !filter.unreadOnly })}
          className={classNames(
            "h-7 rounded-full border px-3 text-sm transition-colors",
            filter.unreadOnly
              ? "border-accent bg-tint text-accent"
              : "border-line-strong text-soft hover:bg-hover hover:text-ink",
          )}
        >
          {t("notifications:unread")}
        </button>
        <select
          aria-label={t("notifications:category")}
          value={filter.category ?? everything}
          onChange={({ target }) =>
            setFilter({ ...filter, category: Category.options.find((category) => category === target.value) })
          }
          className="h-7 min-w-0 rounded-full border border-line-strong bg-field px-2 text-sm text-soft hover:text-ink"
        >
          <option value={everything}>{t("notifications:allCategories")}</option>
          {Category.options.map((category) => (
            <option key={category} value={category}>
              {t(`notifications:categories.${category}`)}
            </option>
          ))}
        </select>
      </div>
      {quiet && (
        <p className="border-b border-line bg-well px-4 py-1.5 text-xs text-soft">
          {t("notifications:quietNow")}
        </p>
      )}
      <NotificationList key={`${filter.unreadOnly}/${filter.category}`} filter={filter} onLeave={onLeave} />
    </>
  )
}
