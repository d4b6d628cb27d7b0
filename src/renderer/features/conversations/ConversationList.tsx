import { t } from "i18next"
import { Clock } from "lucide-react"
import { useRef, useState, Suspense, useEffect, useMemo } from "react"
import { Link, useLocation } from "wouter"
import type { ChatSearchHit, ConversationSummary } from "../../../shared/contract/conversations.ts"
import { chatDeletions, useTrials } from "../../data/chats/chat-deletions.ts"
import { useChatSearch, useConversations, usePinnedConversations } from "../../data/chats/conversations.ts"
import { useChatQueues } from "../../data/chats/queue.ts"
import { describeError } from "../../lib/box.ts"
import { later } from "../../lib/later.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { ageGroup } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"
import { useVirtualRows } from "../../ui/scrolling.ts"
import { ConversationRow } from "./ConversationRow.tsx"

type Row =
  | { kind: "heading"; key: string; text: string }
  | { kind: "chat"; key: string; chat: ConversationSummary }
  | { kind: "hit"; key: string; hit: ChatSearchHit & { messageId: string } }
  /** A chat whose first question hasn't been asked yet. */
  | { kind: "waiting"; key: string; chatId: string; question: string }

const heading = (text: string): Row => ({ kind: "heading", key: `heading:${text}`, text })

/** Returns the rows of the list, each group under its heading: waiting chats, chats by age, then search hits in their text. */
function listRows(
  waiting: { chatId: string; question: string }[],
  chats: ConversationSummary[],
  hits: ChatSearchHit[],
): Row[] {
  const rows: Row[] = []
  if (waiting.length > 0) rows.push(heading(t("conversations:waiting")))
  for (const { chatId, question } of waiting) rows.push({ kind: "waiting", key: chatId, chatId, question })
  let group: string | undefined
  for (const chat of chats) {
    const next = ageGroup(chat.updatedAt)
    if (next !== group) rows.push(heading(next))
    group = next
    rows.push({ kind: "chat", key: chat.id, chat })
  }
  const places = hits.flatMap((hit) => (hit.messageId === null ? [] : [{ ...hit, messageId: hit.messageId }]))
  if (places.length > 0) rows.push(heading(t("conversations:inText")))
  for (const hit of places) rows.push({ kind: "hit", key: `hit:${hit.messageId}`, hit })
  return rows
}

/** The selected chats by id; null when selection is off. */
export function usePickedChats() {
  const [picked, setPicked] = useState<ReadonlyMap<string, ConversationSummary> | null>(null)
  const last = useRef<string>(undefined)
  const indexById = (chats: readonly ConversationSummary[]) => new Map(chats.map((chat) => [chat.id, chat]))
  return {
    picked,
    begin: () => setPicked(new Map()),
    end: () => setPicked(null),
    pickAll: (chats: readonly ConversationSummary[]) => setPicked(indexById(chats)),
    /** Selects or deselects a listed chat. For a range, all its chats change in the same way. */
    pick(listed: readonly ConversationSummary[], chat: ConversationSummary, isRange: boolean): void {
      const indexOf = (id: string | undefined) => listed.findIndex((one) => one.id === id)
      const to = indexOf(chat.id)
      const from = isRange ? indexOf(last.current) : to
      last.current = chat.id
      const range = from < 0 ? [chat] : listed.slice(Math.min(from, to), Math.max(from, to) + 1)
      setPicked((before) => {
        const next = new Map(before)
        for (const one of range)
          if (before?.has(chat.id)) next.delete(one.id)
          else next.set(one.id, one)
        return next
      })
    },
  }
}

/** A search hit in a chat's text, which links to that message. */
function HitRow({ hit }: { hit: ChatSearchHit & { messageId: string } }) {
  const { chatId, messageId, title, snippet } = hit
  const text = snippet.map((piece) => piece.text).join("")
  return (
    <Link
      href={routes.chatMessage(chatId, messageId)}
      title={`${title}\n${text}`}
      className="flex h-full flex-col justify-center rounded-md px-2 text-soft transition-colors hover:bg-hover hover:text-ink"
    >
      <span className="truncate text-sm">{title}</span>
      <span className="line-clamp-2 text-xs leading-4 break-words text-faint">
        {snippet.map((piece, index) =>
          piece.hit ? (
            // oxlint-disable-next-line react/no-array-index-key -- pieces have nothing else
            <mark key={index} className="bg-mark text-ink">
              {piece.text}
            </mark>
          ) : (
            piece.text
          ),
        )}
      </span>
    </Link>
  )
}

/** A chat whose first question hasn't been asked yet. */
function WaitingRow({ chatId, question }: { chatId: string; question: string }) {
  const [location] = useLocation()
  const href = routes.chat(chatId)
  const active = location === href
  return (
    <Link
      href={href}
      title={question}
      aria-current={active ? "page" : undefined}
      className={classNames(
        "flex h-8 items-center gap-2 rounded-md px-2 text-sm transition-colors",
        active ? "bg-selected text-ink" : "text-soft hover:bg-hover hover:text-ink",
      )}
    >
      <span className="min-w-0 flex-1 truncate">{question}</span>
      <Clock className="size-3.5 shrink-0 text-faint" aria-hidden />
    </Link>
  )
}

const rowHeight = 32
const hitHeight = 56

const PickRow = later(async () => (await import("./PickedChats.tsx")).PickRow)
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
