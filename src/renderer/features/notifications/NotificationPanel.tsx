import { t } from "i18next"
import { Inbox } from "lucide-react"
import { useState } from "react"
import { Category } from "../../../shared/contract/notifications.ts"
import type { FeedFilter } from "../../data/notifications.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { Chip } from "../../ui/controls/Toggles.tsx"
import { IconLink } from "../../ui/controls/Button.tsx"
import { ToastAnchor } from "../../ui/layers/Toaster.tsx"
import { FeedActions, QuietNote } from "./FeedActions.tsx"
import { NotificationList, type WaitingList } from "./NotificationList.tsx"

const everything = "all"

/** The panel that the bell opens: filters and the list of notifications. */
export function NotificationPanel({ onLeave, Waiting }: { onLeave: () => void; Waiting: WaitingList }) {
  const [filter, setFilter] = useState<FeedFilter>({ unreadOnly: false, category: undefined })
  return (
    <>
      <header className="flex items-center gap-1 py-2 pr-2.5 pl-4">
        <h2 className="flex-1 font-medium">{t("notifications:title")}</h2>
        <FeedActions onLeave={onLeave}>
          <IconLink href={routes.inbox} label={t("areas:openInbox")} onClick={onLeave}>
            <Inbox aria-hidden />
          </IconLink>
        </FeedActions>
      </header>
      <div className="flex items-center gap-2 border-b border-line px-4 pb-2.5">
        <Chip
          pressed={filter.unreadOnly}
          onClick={() => setFilter({ ...filter, unreadOnly: !filter.unreadOnly })}
        >
          {t("notifications:unread")}
        </Chip>
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
      <QuietNote />
      <NotificationList
        key={`${filter.unreadOnly}/${filter.category}`}
        filter={filter}
        Waiting={Waiting}
        onLeave={onLeave}
      />
      <ToastAnchor className="max-h-1/2 shrink-0 overflow-y-auto px-4" />
    </>
  )
}
