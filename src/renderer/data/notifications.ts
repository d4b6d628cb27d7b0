import { useInfiniteQuery, useQuery, type InfiniteData } from "@tanstack/react-query"
import { createArrivals, type Arrivals } from "../../shared/client/notification-arrivals.ts"
import type { Category, Notification } from "../../shared/contract/notifications.ts"
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

const getKey = (filter: FeedFilter) => [...feedKey, filter] as const

/** Notifications, newest first, one page at a time. */
export function useNotifications(filter: FeedFilter) {
  return useInfiniteQuery({
    queryKey: getKey(filter),
    queryFn: ({ pageParam, signal }) => readPage(filter, pageParam, signal),
    initialPageParam: 0,
    // Count the loaded rows, because rows are added and removed while a list is read.
    getNextPageParam: ({ pagination }, pages) => (pagination.hasMore ? rowsIn(pages).length : undefined),
  })
}

const rowsIn = (pages: FeedPage[]): Notification[] => pages.flatMap(({ notifications }) => notifications)

/** Number of unread notifications; undefined while loading. */
export function useUnreadCount(): number | undefined {
  const { data } = useQuery({
    queryKey: countKey,
    queryFn: async ({ signal }) => (await box.notifications.unreadCount({}, { signal })).count,
  })
  return data
}

/** Number of notifications, and of unread ones, in each category that has any. */
export function useCategoryCounts() {
  return useQuery({
    queryKey: countsKey,
    queryFn: async ({ signal }) => (await box.notifications.counts({}, { signal })).categories,
  })
}

/** Caches the count from the first screen. */
export function cacheUnreadCount(count: number): void {
  queryClient.setQueryData(countKey, count)
}

/** Loads new notifications. In a list that was scrolled far, only the newest page is reloaded, however long the list is. */
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
      queryClient.setQueryData<Feed>(queryKey, (feed) => feed && mergeNewestPage(feed, newest))
    }),
  ])
}

/** Replaces a list's newest page. Rows after it stay; rows missing from it are removed. */
export function mergeNewestPage(feed: Feed, newest: FeedPage): Feed {
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

/** Keeps only the newest page, so that reopening a list doesn't reload everything. */
export function trimFeeds(): void {
  editQueries(feedKey, trimmed)
}

const trimmed = ({ pages, pageParams }: Feed): Feed => ({
  pages: pages.slice(0, 1),
  pageParams: pageParams.slice(0, 1),
})

/** Applies a message from the box to the cached notifications. The message `unread` also means that lists on screen must be reloaded. */
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

/** Changes the rows of every list. A page is left alone if its array of rows is unchanged. */
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
    const position = rows.findIndex(({ id }) => id === changed.id)
    return position < 0 ? rows : rows.with(position, changed)
  })

const removeRow = (removed: string) =>
  change((rows) => (rows.some(({ id }) => id === removed) ? rows.filter(({ id }) => id !== removed) : rows))

/** Changes the flag on screen immediately, then in the box. */
export async function markRead(notification: Notification, read: boolean): Promise<void> {
  replace({ ...notification, read, seen: read || notification.seen, snoozedUntil: null })
  try {
    await box.notifications.update({ params: { id: notification.id }, body: { read } })
  } catch (error) {
    replace(notification)
    throw error
  }
}

/** Shows the notification again at that time. Until then it counts as read. */
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

/** Reports to the box which notifications were on screen, up to 200 at a time. */
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

/** Calls the listener once for each notification that arrives. Returns a function that removes it. */
export function onNotificationArrival(listener: (notification: Notification) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const changeListeners = new Set<(notification: Notification) => void>()

/** Calls the listener for each changed notification, for as long as the page is open. */
export const onNotificationChange = (listener: (notification: Notification) => void): void =>
  void changeListeners.add(listener)

/** Creates a feed for the live connection that misses nothing sent during an interruption. */
export const followArrivals = (): Arrivals =>
  createArrivals({
    list: (page) => box.notifications.list({ query: page }),
    onArrival: (notification) => {
      for (const listener of listeners) listener(notification)
    },
    // Reloading the list shows what is wrong.
    onError: () => void refreshNotifications(),
  })
