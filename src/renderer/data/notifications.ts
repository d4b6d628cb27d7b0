import { useInfiniteQuery, useQuery, type InfiniteData } from "@tanstack/react-query"
import { createArrivals, type Arrivals } from "../../shared/client/notification-arrivals.ts"
import type { Category } from "../../shared/contract/notification-categories.ts"
import type { Notification } from "../../shared/contract/notifications.ts"
import type { SocketMessage } from "../../shared/contract/socket.ts"
import { box, hasCode } from "../lib/box.ts"
import { editQueries, queryClient } from "./query-client.ts"

export interface FeedFilter {
  unreadOnly: boolean
  category: Category | undefined
}

type FeedPage = Awaited<ReturnType<typeof box.notifications.list>>
type Feed = InfiniteData<FeedPage, number>

const feedKey = ["notifications"] as const
const countsKey = ["notification-counts"] as const
const countKey = ["unread-count"] as const
const pageSize = 100

const readPage = ({ unreadOnly, category }: FeedFilter, offset: number, signal?: AbortSignal) =>
  box.notifications.list(
    {
      query: {
        limit: pageSize,
        offset,
        muted: false,
        ...(unreadOnly ? { unreadOnly } : {}),
        ...(category ? { category } : {}),
      },
    },
    signal ? { signal } : {},
  )

const keyOf = (filter: FeedFilter) => [...feedKey, filter] as const

/** Notifications, newest first, a page at a time. */
export function useNotifications(filter: FeedFilter) {
  return useInfiniteQuery({
    queryKey: keyOf(filter),
    queryFn: ({ pageParam, signal }) => readPage(filter, pageParam, signal),
    initialPageParam: 0,
    // Counted, because rows come and go while a list is read.
    getNextPageParam: ({ pagination }, pages) => (pagination.hasMore ? rowsIn(pages).length : undefined),
  })
}

const rowsIn = (pages: FeedPage[]): Notification[] => pages.flatMap(({ notifications }) => notifications)

/** How many notifications are unread; undefined before it is known. */
export function useUnreadCount(): number | undefined {
  const { data } = useQuery({
    queryKey: countKey,
    queryFn: async ({ signal }) => (await box.notifications.unreadCount({}, { signal })).count,
  })
  return data
}

/** How many there are of each category that has some, and how many of them are unread. */
export function useCategoryCounts() {
  return useQuery({
    queryKey: countsKey,
    queryFn: async ({ signal }) => (await box.notifications.counts({}, { signal })).categories,
  })
}

/** Keeps what the first screen brought. */
export function knowUnreadCount(count: number): void {
  queryClient.setQueryData(countKey, count)
}

/** Reads what is new. Of a list that has been scrolled far only the newest page is read, however long it is. */
export async function refreshNotifications(): Promise<void> {
  const long = queryClient
    .getQueryCache()
    .findAll({ queryKey: feedKey, type: "active" })
    .filter((query) => ((query.state.data as Feed | undefined)?.pages.length ?? 0) > 1)
  const hashes = new Set(long.map(({ queryHash }) => queryHash))
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: countsKey }),
    queryClient.invalidateQueries({
      queryKey: feedKey,
      predicate: ({ queryHash }) => !hashes.has(queryHash),
    }),
    ...long.map(async ({ queryKey }) => {
      const newest = await readPage(queryKey[1] as FeedFilter, 0)
      queryClient.setQueryData<Feed>(queryKey, (feed) => feed && withNewest(feed, newest))
    }),
  ])
}

/** A list whose newest page was read again: what follows it stays, what is missing from it is gone. */
export function withNewest(feed: Feed, newest: FeedPage): Feed {
  const known = new Set(newest.notifications.map(({ id }) => id))
  const oldest = newest.notifications.at(-1)?.createdAt ?? ""
  const follows = ({ id, createdAt }: Notification) => !known.has(id) && createdAt <= oldest
  const [first, ...others] = feed.pages.map((page) => ({
    ...page,
    notifications: page.notifications.filter(follows),
  }))
  const joined = { ...newest, notifications: [...newest.notifications, ...(first?.notifications ?? [])] }
  return { ...feed, pages: [joined, ...others] }
}

/** Keeps only the newest page, so that a list that is opened again doesn't read all it once had. */
export function trimFeeds(): void {
  editQueries(feedKey, trimmed)
}

const trimmed = ({ pages, pageParams }: Feed): Feed => ({
  pages: pages.slice(0, 1),
  pageParams: pageParams.slice(0, 1),
})

/** Applies what the box says about the feed. The message `unread` also means: read lists on screen anew. */
export function applyNotificationMessage(message: SocketMessage): void {
  if (message.type === "hello") queryClient.setQueryData(countKey, message.unreadCount)
  else if (message.type === "unread") {
    queryClient.setQueryData(countKey, message.count)
    if (message.count === 0)
      change((rows) => rows.map((row) => (row.read ? row : { ...row, read: true, seen: true })))
  } else if (message.type === "notification.updated") {
    replace(message.notification)
    for (const listener of changeListeners) listener(message.notification)
  } else if (message.type === "notification.deleted") removeRow(message.id)
}

/** Changes the rows of every list; a page whose rows stay the same array is left alone. */
function change(rows: (notifications: Notification[]) => Notification[]): void {
  editQueries<Feed>(feedKey, (feed) => {
    const pages = feed.pages.map((page) => {
      const notifications = rows(page.notifications)
      return notifications === page.notifications ? page : { ...page, notifications }
    })
    return { ...feed, pages }
  })
}

const replace = (changed: Notification) =>
  change((rows) => {
    const place = rows.findIndex(({ id }) => id === changed.id)
    return place < 0 ? rows : rows.with(place, changed)
  })

const removeRow = (removed: string) =>
  change((rows) => (rows.some(({ id }) => id === removed) ? rows.filter(({ id }) => id !== removed) : rows))

/** Changes the flag at once on screen, then on the box. */
export async function markRead(notification: Notification, read: boolean): Promise<void> {
  replace({ ...notification, read, seen: read || notification.seen, snoozedUntil: null })
  try {
    await box.notifications.update({ params: { id: notification.id }, body: { read } })
  } catch (error) {
    replace(notification)
    throw error
  }
}

/** Has it come again at that time; until then it is read. */
export async function snooze(notification: Notification, until: Date): Promise<void> {
  replace({ ...notification, read: true, seen: true, snoozedUntil: until.toISOString() })
  try {
    await box.notifications.update({
      params: { id: notification.id },
      body: { snoozedUntil: until.toISOString() },
    })
  } catch (error) {
    replace(notification)
    throw error
  }
}

/** Tells the box what has been on screen, up to 200 at a time. */
export async function markSeen(notifications: Notification[]): Promise<void> {
  await box.notifications.markSeen({ body: { ids: notifications.map(({ id }) => id) } })
}

export async function markAllRead(): Promise<void> {
  await box.notifications.markAllRead()
  await refreshNotifications()
}

export async function deleteNotification(id: string): Promise<void> {
  await box.notifications.remove({ params: { id } }).catch((error: unknown) => {
    if (!hasCode(error, "not_found")) throw error
  })
  removeRow(id)
}

const listeners = new Set<(notification: Notification) => void>()

/** Calls back for each notification that arrives, once; returns how to stop. */
export function onNotificationArrival(listener: (notification: Notification) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const changeListeners = new Set<(notification: Notification) => void>()

/** Calls back for each notification that has become another, as long as the page is open. */
export const onNotificationChange = (listener: (notification: Notification) => void): void =>
  void changeListeners.add(listener)

/** What the live connection feeds so that nothing sent while it was cut is missed. */
export const followArrivals = (): Arrivals =>
  createArrivals({
    list: (page) => box.notifications.list({ query: page }),
    onArrival: (notification) => {
      for (const listener of listeners) listener(notification)
    },
    // Read again, the list says what is wrong.
    onError: () => void refreshNotifications(),
  })
