import { useVirtualizer, type Range } from "@tanstack/react-virtual"
import { t } from "i18next"
import { ArrowDown } from "lucide-react"
import { Suspense, useEffect, useMemo, useState, type RefObject } from "react"
import { later } from "../../lib/later.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { classNames } from "../../ui/class-names.ts"
import { lastingNotices, type ShownMessage } from "./session/chat-view.ts"
import type { Finding } from "./find/use-finding.ts"
import type { BranchPoint } from "./session/branch-points.ts"
import { MessageRow, type MessageActions } from "./MessageRow.tsx"
import type { ShownList } from "./shown-list.ts"
import { usePinnedScroll } from "../../ui/scrolling.ts"

const StickyQuestion = later(async () => (await import("./outline/StickyQuestion.tsx")).StickyQuestion)
const FindBar = later(async () => (await import("./find/FindBar.tsx")).FindBar)

export interface MessageListProps {
  chatId: string
  messages: ShownMessage[]
  points: ReadonlyMap<string, BranchPoint>
  /** A message to scroll to and mark. */
  target: string | undefined
  /** Changes when a question is sent; the list then scrolls to its end. */
  turnNumber: number
  actions: MessageActions
  /** Whether no answer is being written, so that questions can be edited. */
  idle: boolean
  /** Undefined where searching isn't available. */
  finding?: Finding
  /** Receives the list, for components outside it. */
  listRef?: RefObject<ShownList | null>
}

/** A chat's messages. Only those on screen are rendered, so that long chats stay fast. */
export function MessageList(props: MessageListProps) {
  const { chatId, messages, points, target, turnNumber, actions, idle, finding, listRef } = props
  const news = useMemo(() => lastingNotices(messages), [messages])
  const { scroller, content, pinned, toEnd, release } = usePinnedScroll()
  const getSize = (index: number): number => virtualizer.measurementsCache[index]?.size ?? 0
  // oxlint-disable-next-line react/incompatible-library -- warns of the React Compiler, which isn't used
  const virtualizer = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rowKey(messages, index),
    estimateSize: (index) => estimateHeight(messages[index]),
    rangeExtractor: (range) => extendRange(range, getSize),
    // Start near the end, so that the messages above needn't be rendered first.
    initialOffset: () => messages.reduce((sum, message) => sum + estimateHeight(message) + gap, 0),
    gap,
    paddingStart: gap,
    paddingEnd: 32,
    scrollPaddingStart: gap,
  })

  const isLong = virtualizer.getTotalSize() > (virtualizer.scrollRect?.height ?? 0)

  useEffect(toEnd, [turnNumber, toEnd])

  const targetIndex = target === undefined ? -1 : messages.findIndex(({ key }) => key === target)
  const [list] = useState((): ShownList => ({
    scroller: () => scroller.current,
    content: () => content.current,
    goTo(index) {
      release()
      virtualizer.scrollToIndex(index, { align: "start" })
    },
    firstShown: () => virtualizer.range?.startIndex ?? 0,
    readAt() {
      if (!scroller.current) return 0
      const { scrollTop, clientHeight, scrollHeight } = scroller.current
      if (scrollTop + clientHeight > scrollHeight - gap) return virtualizer.options.count - 1
      return virtualizer.getVirtualItemForOffset(scrollTop + clientHeight / 4)?.index ?? 0
    },
  }))
  useEffect(() => {
    if (listRef) listRef.current = list
  }, [list, listRef])
  useEffect(() => {
    if (targetIndex >= 0) list.goTo(targetIndex)
  }, [list, target, targetIndex])

  return (
    <>
      {finding !== undefined && finding.called > 0 && (
        <Suspense>
          <FindBar messages={messages} list={list} called={finding.called} onClose={finding.end} />
        </Suspense>
      )}
      <div className="relative min-h-0 flex-1">
        <Suspense>
          <StickyQuestion messages={messages} list={list} />
        </Suspense>
        <div
          ref={scroller}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
          tabIndex={0}
          role="log"
          aria-label={t("chat:conversation")}
          aria-live={pinned ? "polite" : "off"}
          aria-busy={!idle}
          className="h-full overflow-y-auto [overflow-anchor:none] focus-visible:-outline-offset-2"
        >
          <div
            ref={content}
            className="relative mx-auto max-w-3xl"
            style={{ height: virtualizer.getTotalSize() }}
          >
            {virtualizer.getVirtualItems().map((item) => {
              const message = messages[item.index]
              if (!message) return null
              return (
                <div
                  key={item.key}
                  ref={virtualizer.measureElement}
                  data-index={item.index}
                  className={classNames(
                    "absolute inset-x-0 top-0 px-6",
                    message.key === target &&
                      "before:pointer-events-none before:absolute before:-z-10 before:inset-x-2 before:-inset-y-2 before:animate-mark before:rounded-xl",
                  )}
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <MessageRow
                    chatId={chatId}
                    message={message}
                    question={messages[item.index - 1]?.content}
                    point={points.get(message.key)}
                    actions={actions}
                    idle={idle}
                    news={news.get(message.key) ?? ""}
                    last={item.index === messages.length - 1}
                  />
                </div>
              )
            })}
          </div>
        </div>
        {!pinned && isLong && (
          <Button
            onClick={toEnd}
            className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-raised shadow-float"
          >
            <ArrowDown aria-hidden /> {t("chat:latest")}
          </Button>
        )}
      </div>
    </>
  )
}

/** Keeps a question's row when its answer ends and it gets an ID, so that its focus and open dialog aren't lost. */
function rowKey(messages: readonly ShownMessage[], index: number): string {
  const { key, role } = messages[index] ?? { key: "", role: "user" }
  return role === "user" ? `after ${messages[index - 1]?.key ?? ""}` : key
}

/** Space between messages, in pixels. */
const gap = 24
/** Height rendered above and below the visible area, in pixels. Messages aren't counted, because a long answer is slow to render. */
const drawnAhead = 400
const charactersPerLine = 85
const lineHeight = 26
/** Height of a message's attachments, in pixels. */
const attachedHeight = 180

/** Returns the visible messages and those next to them. */
function extendRange({ startIndex, endIndex, count }: Range, getSize: (index: number) => number): number[] {
  let [first, last] = [startIndex, endIndex]
  for (let room = drawnAhead; room > 0 && first > 0; room -= getSize(first)) first--
  for (let room = drawnAhead; room > 0 && last < count - 1; room -= getSize(last)) last++
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** A rough estimate, so that the scrollbar doesn't jump when the message is rendered. */
function estimateHeight(message: ShownMessage | undefined): number {
  if (!message) return 0
  const lines = Math.ceil(message.content.length / charactersPerLine)
  if (message.role === "assistant") return lines * lineHeight * 1.15 + 44
  return Math.max(1, lines) * lineHeight + 16 + (message.files.length > 0 ? attachedHeight : 0)
}
