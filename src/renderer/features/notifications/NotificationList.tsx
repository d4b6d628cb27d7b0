import { t } from "i18next"
import { Bell } from "lucide-react"
import { type ComponentType, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react"
import type { Notification } from "../../../shared/contract/notifications.ts"
import { getRoute } from "../../../shared/presentation.ts"
import { useActivity } from "../../data/chats/conversations.ts"
import { markSeen, useNotifications, type FeedFilter } from "../../data/notifications.ts"
import { describeError } from "../../lib/box.ts"
import { Note } from "../../ui/Note.tsx"
import { EmptyState } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { useVirtualRows } from "../../ui/scrolling.ts"
import { NotificationRow } from "./NotificationRow.tsx"
import { notificationDeletions } from "./deletions.ts"
import { dayAround, dayHeading, secondLine } from "./wording.ts"
import { showError } from "../../lib/toasts.ts"

/** Lists the user's pending decisions; renders nothing if there are none. The chat feature provides it. */
export type WaitingList = ComponentType<{ onLeave?: (() => void) | undefined }>

type Row = { heading: string } | { notification: Notification }

const headingHeight = 32
const rowHeight = 52
const lineHeight = 20
const choicesHeight = 42
const charactersPerLine = 45
/** The next page loads when fewer rows than this remain below the rendered ones, so that it arrives before the reader does. */
const readAhead = 50

interface NotificationListProps {
  filter: FeedFilter
  /** Shows only notifications that lead there. Older ones are loaded only on request. */
  leadingTo?: string | undefined
  /** Waiting tool calls, shown above the list. Their notifications aren't listed again. */
  Waiting?: WaitingList | undefined
  /** Shown if there are no notifications, instead of the default text. */
  empty?: ReactNode
  onLeave?: () => void
}

/** Notifications by day, newest first. More are loaded as the list is scrolled. */
export function NotificationList({ filter, leadingTo, Waiting, empty, onLeave }: NotificationListProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useNotifications(filter)
  const leaving = notificationDeletions.useLeaving()
  const { approvals } = useActivity()
  const asked = useMemo(
    () => new Set(Waiting && approvals.map(({ chatId, toolCallId }) => approvalName(chatId, toolCallId))),
    [Waiting, approvals],
  )
  const rows = useMemo(
    () =>
      toRows(
        data?.pages.flatMap((page) => page.notifications) ?? [],
        (notification) =>
          !leaving.has(notification.id) &&
          !asked.has(getApproval(notification) ?? "") &&
          (leadingTo === undefined || isSameRoute(getRoute(notification), leadingTo)),
      ),
    [data, leaving, asked, leadingTo],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const [waitingHeight, measureWaiting] = useHeight()
  const virtualizer = useVirtualRows({
    scrollMargin: waitingHeight,
    count: rows.length,
    scroller,
    estimateSize: (index) => estimateHeight(rows[index]),
    getItemKey: useCallback((index: number) => getKey(rows[index]), [rows]),
  })
  const items = virtualizer.getVirtualItems()
  const lastDrawn = items.at(-1)?.index ?? 0
  const failed = error !== null

  useEffect(() => {
    const nearEnd = lastDrawn >= rows.length - readAhead
    const more = hasNextPage && !isFetchingNextPage && !failed // retrying immediately would fail without end
    if (leadingTo === undefined && more && nearEnd) void fetchNextPage()
  }, [leadingTo, lastDrawn, rows.length, hasNextPage, isFetchingNextPage, failed, fetchNextPage])

  const { range, isScrolling } = virtualizer
  // Rows that are only scrolled past haven't been seen.
  const onScreen = range && !isScrolling ? rows.slice(range.startIndex, range.endIndex + 1) : []
  useMarkSeen(onScreen.flatMap((row) => ("notification" in row ? [row.notification] : [])))

  const scrolled = (list: ReactNode) => (
    <div ref={scroller} className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      {Waiting && (
        <div ref={measureWaiting} className="shrink-0">
          <Waiting onLeave={onLeave} />
        </div>
      )}
      {list}
    </div>
  )
  const failure = error && (
    <div className="p-4">
      <Note kind="error">{describeError(error)}</Note>
    </div>
  )
  if (!data) {
    return scrolled(
      failure || (
        <div className="m-auto">
          <Spinner label={t("notifications:reading")} />
        </div>
      ),
    )
  }
  const loadMoreButton = (leadingTo !== undefined || failed) && hasNextPage && (
    <div className="flex justify-center p-3">
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t("notifications:lookFurther")}
      </Button>
    </div>
  )
  if (rows.length === 0) {
    return scrolled(
      <>
        {asked.size === 0 && (empty ?? <Nothing filter={filter} />)}
        {loadMoreButton}
      </>,
    )
  }
  return scrolled(
    <>
      <ul className="relative shrink-0" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]
          return (
            <li
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${item.start - waitingHeight}px)` }}
            >
              {row &&
                ("heading" in row ? (
                  <Heading text={row.heading} />
                ) : (
                  <NotificationRow
                    notification={row.notification}
                    isCategoryShown={filter.category === undefined}
                    onLeave={onLeave}
                  />
                ))}
            </li>
          )
        })}
      </ul>
      {failure}
      {loadMoreButton}
    </>,
  )
}

const approvalName = (chatId: string, toolCallId: string) => `${chatId} ${toolCallId}`

/** The tool call that a notification is about, by chat and id. */
const getApproval = ({ chatId, news }: Notification): string | undefined =>
  news?.kind === "approval_wanted" && chatId !== null && news.toolCallId !== undefined
    ? approvalName(chatId, news.toolCallId)
    : undefined

/** Height of the element that receives the ref. */
function useHeight() {
  const [height, setHeight] = useState(0)
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined
    const observer = new ResizeObserver(() => setHeight(element.offsetHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [height, ref] as const
}

function Heading({ text }: { text: string }) {
  return <h2 className="flex h-8 items-end px-4 pb-1 text-xs font-medium text-faint">{text}</h2>
}

function Nothing({ filter: { unreadOnly, category } }: { filter: FeedFilter }) {
  if (unreadOnly || category) return <EmptyState icon={Bell} title={t("notifications:nothingFiltered")} />
  return (
    <EmptyState icon={Bell} title={t("notifications:nothing.title")}>
      {t("notifications:nothing.text")}
    </EmptyState>
  )
}

/** Close enough that the list needn't be laid out again when the row is rendered. */
function estimateHeight(row: Row | undefined): number {
  if (!row || "heading" in row) return headingHeight
  const { length } = secondLine(row.notification)
  const lines = length === 0 ? 0 : length <= charactersPerLine ? 1 : 2
  const { question } = row.notification
  return rowHeight + lines * lineHeight + (question?.status === "open" ? choicesHeight : 0)
}

const getKey = (row: Row | undefined): string =>
  row ? ("heading" in row ? row.heading : row.notification.id) : ""

/** Reports to the box which notifications have been on screen, once each. */
function useMarkSeen(onScreen: Notification[]): void {
  const reportedKeys = useRef(new Set<string>())
  useEffect(() => {
    const getSending = ({ id, notifiedAt }: Notification) => `${id} ${notifiedAt}`
    const unseen = onScreen.filter((one) => !one.seen && !reportedKeys.current.has(getSending(one)))
    if (unseen.length === 0) return
    for (const notification of unseen) reportedKeys.current.add(getSending(notification))
    markSeen(unseen).catch(showError)
  })
}

/** Whether two addresses are the same, however their parameters are encoded. */
const isSameRoute = (one: string | null, other: string): boolean =>
  one !== null && canonical(one) === canonical(other)

function canonical(route: string): string {
  const { pathname, searchParams } = new URL(route, window.location.origin)
  return `${pathname}?${searchParams.toString()}`
}

/** Returns the rows with day headings. A row that a new arrival has pushed onto the next page is on two pages and is kept once. */
function toRows(notifications: Notification[], isShown: (notification: Notification) => boolean): Row[] {
  const rows: Row[] = []
  const known = new Set<string>()
  let day = { start: 0, end: 0 }
  let heading: string | undefined
  for (const notification of notifications) {
    if (known.has(notification.id) || !isShown(notification)) continue
    known.add(notification.id)
    const moment = Date.parse(notification.createdAt)
    // Each day is formatted once, because formatting is slow for thousands of rows.
    if (moment < day.start || moment >= day.end) {
      day = dayAround(moment)
      const next = dayHeading(notification.createdAt)
      if (next !== heading) rows.push({ heading: next })
      heading = next
    }
    rows.push({ notification })
  }
  return rows
}
