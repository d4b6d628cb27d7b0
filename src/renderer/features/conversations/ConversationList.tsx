import { useEffect, useMemo, useRef } from "react"
import { Link, useLocation } from "wouter"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { useConversations } from "../../data/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { ageGroup, formatFullMoment } from "../../lib/format.ts"
import { routes } from "../../lib/routes.ts"
import { classNames } from "../../ui/class-names.ts"
import { useVirtualRows } from "../../ui/use-virtual-rows.ts"
import { ConversationMenu } from "./ConversationMenu.tsx"

type Row = { heading: string } | { chat: ConversationSummary }

const rowHeight = 32

/** Conversations by age, newest first; more are read as the list is scrolled. */
export function ConversationList({ search }: { search: string }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useConversations(search)
  const rows = useMemo(() => toRows(data?.pages.flatMap((page) => page.chats) ?? []), [data])
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualRows({ count: rows.length, scroller, estimateSize: () => rowHeight })
  const items = virtualizer.getVirtualItems()
  const lastDrawn = items.at(-1)?.index ?? 0

  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastDrawn >= rows.length - 1) void fetchNextPage()
  }, [lastDrawn, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage])

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
      {error && <p className="px-2 py-1 text-sm text-danger">{describeError(error)}</p>}
      {data && rows.length === 0 && (
        <p className="px-2 py-1 text-sm text-faint">
          {search === "" ? "No chats yet" : "No chat has that title"}
        </p>
      )}
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map((item) => {
          const row = rows[item.index]
          return (
            <li
              key={item.key}
              className="absolute inset-x-0 top-0"
              style={{ height: rowHeight, transform: `translateY(${item.start}px)` }}
            >
              {row &&
                ("heading" in row ? <Heading text={row.heading} /> : <ConversationRow chat={row.chat} />)}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Heading({ text }: { text: string }) {
  return <h3 className="flex h-full items-end px-2 pb-1 text-xs font-medium text-faint">{text}</h3>
}

function ConversationRow({ chat }: { chat: ConversationSummary }) {
  const [location] = useLocation()
  const href = routes.chat(chat.id)
  const active = location === href
  return (
    <div
      className={classNames(
        "group/chat relative flex h-8 items-center rounded-md transition-colors",
        active ? "bg-selected text-ink" : "text-soft hover:bg-hover hover:text-ink",
      )}
    >
      <Link
        href={href}
        aria-current={active ? "page" : undefined}
        title={`${chat.title}\n${formatFullMoment(chat.updatedAt)}`}
        className="flex h-full min-w-0 flex-1 items-center rounded-md px-2 text-sm"
      >
        <span className="truncate">{chat.title}</span>
      </Link>
      <ConversationMenu
        chatId={chat.id}
        title={chat.title}
        className="mr-0.5 w-0 opacity-0 group-focus-within/chat:w-7 group-focus-within/chat:opacity-100 group-hover/chat:w-7 group-hover/chat:opacity-100 data-[state=open]:w-7 data-[state=open]:opacity-100"
      />
    </div>
  )
}

function toRows(chats: ConversationSummary[]): Row[] {
  const rows: Row[] = []
  let group: string | undefined
  for (const chat of chats) {
    const next = ageGroup(chat.updatedAt)
    if (next !== group) rows.push({ heading: next })
    group = next
    rows.push({ chat })
  }
  return rows
}
