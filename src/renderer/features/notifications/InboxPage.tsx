import { t } from "i18next"
import { useEffect, useState } from "react"
import { useLocation } from "wouter"
import { Category } from "../../../shared/contract/notifications.ts"
import { trimFeeds, useCategoryCounts, useUnreadCount } from "../../data/notifications.ts"
import { areas, getAreaRoute, type AreaId } from "../../lib/navigation/areas.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { formatCount } from "../../lib/words/format.ts"
import { Chip } from "../../ui/controls/Toggles.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { MutedNote, FeedActions, QuietNote } from "./FeedActions.tsx"
import { PostingWays } from "./PostingWays.tsx"
import { NotificationList, type WaitingList } from "./NotificationList.tsx"

interface InboxPageProps {
  /** Shows only this area of the inbox, or the category in the address. */
  of: { area: AreaId } | { category: string | null }
  /** Shows only notifications that lead to this message channel. */
  channel: string | undefined
  Waiting: WaitingList
}

/** All notifications, or some of them, by day. Pending decisions are shown above them. */
export function InboxPage({ of, channel, Waiting }: InboxPageProps) {
  const area = "area" in of ? of.area : undefined
  const category = "area" in of ? areas[of.area].category : categoryNamed(of.category)
  const [unreadOnly, setUnreadOnly] = useState(false)
  useEffect(() => trimFeeds, [])

  const leadingTo = channel === undefined ? undefined : routes.channel(channel)
  const name = getName({ category, area, channel })
  const ways = area && <PostingWays area={area} deepLink={leadingTo} variant="secondary" />
  return (
    <section aria-label={name} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={name}>
        <FeedActions />
      </PageHeader>
      <Chips category={category} unreadOnly={unreadOnly} onUnreadOnly={setUnreadOnly} />
      <QuietNote />
      {category && <MutedNote category={category} />}
      <div className="mx-auto flex min-h-0 w-full max-w-3xl flex-1 flex-col">
        <NotificationList
          key={`${category}/${channel}/${unreadOnly}`}
          filter={{ unreadOnly, category }}
          leadingTo={leadingTo}
          Waiting={category === undefined || category === "chat" ? Waiting : undefined}
          empty={
            area && !unreadOnly ? (
              <EmptyState
                icon={areas[area].icon}
                title={t(channel === undefined ? "areas:emptyTitle" : "areas:emptyChannel")}
                action={ways}
              >
                {t(`posting:text.${area}`)}
              </EmptyState>
            ) : undefined
          }
        />
      </div>
    </section>
  )
}

const categoryNamed = (name: string | null) => Category.options.find((option) => option === name)

interface Part {
  category: Category | undefined
  area: AreaId | undefined
  channel: string | undefined
}

function getName({ category, area, channel }: Part): string {
  if (channel !== undefined) return t("areas:channel", { channel })
  if (area) return t(`areas:${area}.name`)
  return category ? t(`notifications:categories.${category}`) : t("areas:inbox")
}

interface ChipsProps {
  category: Category | undefined
  unreadOnly: boolean
  onUnreadOnly: (unreadOnly: boolean) => void
}

/** Filters: all, unread only, and each category that has notifications. */
function Chips({ category, unreadOnly, onUnreadOnly }: ChipsProps) {
  const [, navigate] = useLocation()
  const { data: counts = [] } = useCategoryCounts()
  const unread = useUnreadCount() ?? 0
  const shown = counts.some((one) => one.category === category) ? counts : addEmptyCategory(counts, category)
  const go = (to: Category | undefined) => () =>
    navigate(to ? (getAreaRoute(to, "inbox") ?? routes.getInbox(to)) : routes.inbox)
  return (
    <fieldset
      aria-label={t("areas:chips")}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-4 py-2"
    >
      <Chip pressed={category === undefined} onClick={go(undefined)}>
        {t("areas:all")}
      </Chip>
      {shown.map((one) => (
        <Chip key={one.category} pressed={category === one.category} onClick={go(one.category)}>
          {t(`notifications:categories.${one.category}`)}
          {one.unread > 0 && (
            <span className="ml-1.5 font-medium tabular-nums">{formatCount(one.unread)}</span>
          )}
        </Chip>
      ))}
      <span className="flex-1" />
      <Chip pressed={unreadOnly} onClick={() => onUnreadOnly(!unreadOnly)}>
        {t("notifications:unread")}
        {unread > 0 && <span className="ml-1.5 font-medium tabular-nums">{formatCount(unread)}</span>}
      </Chip>
    </fieldset>
  )
}

type Counts = NonNullable<ReturnType<typeof useCategoryCounts>["data"]>

/** The category that is shown has a chip even if it has no notifications. */
const addEmptyCategory = (counts: Counts, category: Category | undefined): Counts =>
  category ? [...counts, { category, count: 0, unread: 0 }] : counts
