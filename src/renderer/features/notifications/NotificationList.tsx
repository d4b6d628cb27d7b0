import { t } from "i18next"
import { Bell } from "lucide-react"
import { useEffect, useMemo, useRef, type ReactNode } from "react"
import { routeOf, type Notification } from "../../../shared/contract/notifications.ts"
import { markSeen, useNotifications, type FeedFilter } from "../../data/notifications.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/Button.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { useVirtualRows } from "../../ui/use-virtual-rows.ts"
import { dayHeading } from "./day-heading.ts"
import { notificationDeletions } from "./deletions.ts"
import { NotificationRow } from "./NotificationRow.tsx"
import { openNotification, sayFailure } from "./open-notification.ts"

type Row = { heading: string } | { notification: Notification }

const headingHeight = 32
const rowHeight = 64

interface NotificationListProps {
  filter: FeedFilter
  /** Only those that lead there. How far back they are looked for is up to the reader. */
  leadingTo?: string | undefined
  /** Stands where there are none, instead of the bell's own words. */
  empty?: ReactNode
  onLeave?: () => void
}

/** Notifications by day, newest first; more are read as the list is scrolled. */
export function NotificationList({ filter, leadingTo, empty, onLeave }: NotificationListProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useNotifications(filter)
  const leaving = notificationDeletions.useLeaving()
  const rows = useMemo(
    () =>
      toRows(
        data?.pages.flatMap((page) => page.notifications) ?? [],
        (notification) =>
          !leaving.has(notification.id) &&
          (leadingTo === undefined || isSameRoute(routeOf(notification), leadingTo)),
      ),
    [data, leaving, leadingTo],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualRows({
    count: rows.length,
    scroller,
    estimateSize: (index) => (rows[index] && "heading" in rows[index] ? headingHeight : rowHeight),
  })
  const items = virtualizer.getVirtualItems()
  const lastDrawn = items.at(-1)?.index ?? 0

  useEffect(() => {
    const atEnd = lastDrawn >= rows.length - 1
    if (leadingTo === undefined && hasNextPage && !isFetchingNextPage && atEnd) void fetchNextPage()
  }, [leadingTo, lastDrawn, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage])

  const drawn = items.flatMap(({ index }) => {
    const row = rows[index]
    return row && "notification" in row ? [row.notification] : []
  })
  useMarkSeen(drawn)

  if (error) {
    return (
      <div className="p-4">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  }
  if (!data) {
    return (
      <div className="m-auto">
        <Spinner label={t("notifications:reading")} />
      </div>
    )
  }
  const lookFurther = leadingTo !== undefined && hasNextPage && (
    <div className="flex justify-center p-3">
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t("notifications:lookFurther")}
      </Button>
    </div>
  )
  if (rows.length === 0) {
    return (
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {empty ?? <Nothing filter={filter} />}
        {lookFurther}
      </div>
    )
  }
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]
          return (
            <li
              key={row && "notification" in row ? row.notification.id : item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {row &&
                ("heading" in row ? (
                  <Heading text={row.heading} />
                ) : (
                  <NotificationRow
                    notification={row.notification}
                    withCategory={filter.category === undefined}
                    onOpen={() => {
                      openNotification(row.notification)
                      if (routeOf(row.notification) !== null) onLeave?.()
                    }}
                  />
                ))}
            </li>
          )
        })}
      </ul>
      {lookFurther}
    </div>
  )
}

function Heading({ text }: { text: string }) {
  return <h3 className="flex h-8 items-end px-4 pb-1 text-xs font-medium text-faint">{text}</h3>
}

function Nothing({ filter: { unreadOnly, category } }: { filter: FeedFilter }) {
  if (unreadOnly || category) return <EmptyState icon={Bell} title={t("notifications:nothingFiltered")} />
  return (
    <EmptyState icon={Bell} title={t("notifications:nothing.title")}>
      {t("notifications:nothing.text")}
    </EmptyState>
  )
}

/** Tells the box which notifications have been on screen, each once. */
function useMarkSeen(drawn: Notification[]): void {
  const told = useRef(new Set<string>())
  useEffect(() => {
    for (const notification of drawn) {
      const sending = `${notification.id} ${notification.notifiedAt}`
      if (notification.seen || told.current.has(sending)) continue
      told.current.add(sending)
      markSeen(notification).catch(sayFailure)
    }
  })
}

/** Whether two addresses mean the same, however their parameters are encoded. */
const isSameRoute = (one: string | null, other: string): boolean =>
  one !== null && canonical(one) === canonical(other)

function canonical(route: string): string {
  const { pathname, searchParams } = new URL(route, window.location.origin)
  return `${pathname}?${searchParams.toString()}`
}

/** Rows with their days between. A row that a new arrival pushed onto the next page is in two; once is enough. */
function toRows(notifications: Notification[], isShown: (notification: Notification) => boolean): Row[] {
  const rows: Row[] = []
  const known = new Set<string>()
  let day: string | undefined
  for (const notification of notifications) {
    if (known.has(notification.id) || !isShown(notification)) continue
    known.add(notification.id)
    const next = dayHeading(notification.createdAt)
    if (next !== day) rows.push({ heading: next })
    day = next
    rows.push({ notification })
  }
  return rows
}
