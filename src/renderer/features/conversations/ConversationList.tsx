import { t } from "i18next"
import { Suspense, useEffect, useMemo, useRef, useState } from "react"
import { Link } from "wouter"
import { useChatSearch, useConversations, usePinnedConversations } from "../../data/chats/conversations.ts"
import { useChatQueues } from "../../data/chats/queue.ts"
import { describeError } from "../../lib/box.ts"
import { later } from "../../lib/later.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { useVirtualRows } from "../../ui/scrolling.ts"
import { ConversationRow } from "./ConversationRow.tsx"
import { chatDeletions, useTrials } from "../../data/chats/chat-deletions.ts"
import { HitRow } from "./HitRow.tsx"
import { listRows, type Row } from "./list-rows.ts"
import type { usePickedChats } from "./use-picked-chats.ts"
import { WaitingRow } from "./WaitingRow.tsx"

const rowHeight = 32
const hitHeight = 56

const PickRow = later(async () => (await import("./PickRow.tsx")).PickRow)
const PickedChats = later(async () => (await import("./PickedChats.tsx")).PickedChats)

interface ConversationListProps {
  search: string
  picking: ReturnType<typeof usePickedChats>
}

/**
 * Lists chats by age, except pinned chats and chats in projects, which are shown elsewhere. A search matches titles and messages; more
 * results load as needed.
 */
export function ConversationList({ search, picking }: ConversationListProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useConversations(search)
  const { data: hits } = useChatSearch(search)
  const leaving = chatDeletions.useLeaving()
  const trials = useTrials()
  const { data: pinned } = usePinnedConversations()
  const queues = useChatQueues()
  const { rows, listed } = useMemo(() => {
    const chats = data?.pages.flatMap((page) => page.chats) ?? []
    const stored = new Set(chats.map(({ id }) => id))
    const pinnedIds = new Set(search === "" ? pinned?.chats.map(({ id }) => id) : [])
    const isLeft = (id: string) => !leaving.has(id) && !trials.has(id)
    const listed = chats.filter(
      ({ id, projectId }) => isLeft(id) && (search !== "" || (projectId === null && !pinnedIds.has(id))),
    )
    const waiting = (queues ?? [])
      .filter(({ chatId }) => search === "" && !stored.has(chatId) && isLeft(chatId))
      .map(({ chatId, content }) => ({ chatId, question: content }))
    const found = search === "" ? [] : (hits ?? []).filter(({ chatId }) => isLeft(chatId))
    return { rows: listRows(waiting, listed, found), listed }
  }, [data, hits, leaving, trials, queues, pinned, search])
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualRows({
    count: rows.length,
    scroller,
    estimateSize: (index) => (rows[index]?.kind === "hit" ? hitHeight : rowHeight),
  })
  // Row heights are known, but each search changes which rows they belong to.
  useEffect(() => {
    if (rows.length > 0) virtualizer.measure()
  }, [rows, virtualizer])
  const items = virtualizer.getVirtualItems()
  const lastDrawn = items.at(-1)?.index ?? 0

  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && lastDrawn >= rows.length - 1) void fetchNextPage()
  }, [lastDrawn, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage])

  const { picked } = picking
  // Selecting all chats requires loading the rest first.
  const [isPickingAll, setPickingAll] = useState(false)
  if (isPickingAll && !hasNextPage) {
    setPickingAll(false)
    picking.pickAll(listed)
  }
  useEffect(() => {
    if (isPickingAll && !isFetchingNextPage) void fetchNextPage()
  }, [isPickingAll, isFetchingNextPage, fetchNextPage])

  return (
    <>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-2 pb-2">
        {error && <p className="px-2 py-1 text-sm text-danger">{describeError(error)}</p>}
        {data && rows.length === 0 && !hasNextPage && (
          <p className="px-2 py-1 text-sm text-faint">
            {search === "" ? t("conversations:none") : t("conversations:noneFound")}
            {search === "" && (
              <Link href={routes.importChats} className="mt-1 block text-accent underline underline-offset-2">
                {t("conversations:import")}
              </Link>
            )}
          </p>
        )}
        <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index]
            return (
              row && (
                <li
                  key={row.key}
                  className="absolute inset-x-0 top-0"
                  style={{ height: item.size, transform: `translateY(${item.start}px)` }}
                >
                  {picked && row.kind === "chat" ? (
                    <Suspense fallback={<ListRow row={row} />}>
                      <PickRow
                        chat={row.chat}
                        picked={picked.has(row.chat.id)}
                        onPick={(chat, isRange) => picking.pick(listed, chat, isRange)}
                        onEnd={picking.end}
                      />
                    </Suspense>
                  ) : (
                    <ListRow row={row} />
                  )}
                </li>
              )
            )
          })}
        </ul>
      </div>
      {picked && (
        <Suspense>
          <PickedChats
            chats={[...picked.values()].filter(({ id }) => !leaving.has(id))}
            onPickAll={() => setPickingAll(true)}
            onEnd={picking.end}
          />
        </Suspense>
      )}
    </>
  )
}

function ListRow({ row }: { row: Row }) {
  switch (row.kind) {
    case "heading":
      return <h3 className="flex h-full items-end px-2 pb-1 text-xs font-medium text-faint">{row.text}</h3>
    case "chat":
      return <ConversationRow chat={row.chat} />
    case "hit":
      return <HitRow hit={row.hit} />
    case "waiting":
      return <WaitingRow chatId={row.chatId} question={row.question} />
  }
}
