import { ArrowDown } from "lucide-react"
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from "react"
import { Button } from "../../ui/Button.tsx"
import { Answer } from "./Answer.tsx"
import type { ShownMessage } from "./chat-view.ts"
import { Question } from "./Question.tsx"
import { usePinnedScroll } from "./use-pinned-scroll.ts"

const windowSize = 40

interface MessageListProps {
  messages: ShownMessage[]
  /** Changes when a question is sent: the list then shows its end. */
  turnNumber: number
  onEdit: ((message: ShownMessage) => void) | undefined
  onRetry: ((answer: ShownMessage) => void) | undefined
}

/** A conversation, its newest messages first drawn; earlier ones follow as the reader gets to them. */
export function MessageList({ messages, turnNumber, onEdit, onRetry }: MessageListProps) {
  const { scroller, content, pinned, toEnd } = usePinnedScroll()
  const [drawn, setDrawn] = useState(windowSize)
  useEffect(toEnd, [turnNumber, toEnd])
  const hidden = Math.max(0, messages.length - drawn)

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
        tabIndex={0}
        role="log"
        aria-label="Conversation"
        className="h-full overflow-y-auto focus-visible:-outline-offset-2"
      >
        <div ref={content} className="mx-auto flex max-w-3xl flex-col gap-6 px-6 pt-6 pb-8">
          {hidden > 0 && (
            <EarlierMessages
              key={hidden}
              scroller={scroller}
              onReached={() => setDrawn((count) => count + windowSize)}
            />
          )}
          {messages
            .slice(hidden)
            .map((message) =>
              message.role === "assistant" ? (
                <Answer key={message.key} message={message} onRetry={onRetry && (() => onRetry(message))} />
              ) : (
                <Question
                  key={message.key}
                  text={message.content}
                  onEdit={onEdit && (() => onEdit(message))}
                />
              ),
            )}
        </div>
      </div>
      {!pinned && (
        <Button
          onClick={toEnd}
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full bg-raised shadow-float"
        >
          <ArrowDown aria-hidden /> Latest
        </Button>
      )}
    </div>
  )
}

interface EarlierMessagesProps {
  scroller: RefObject<HTMLElement | null>
  onReached: () => void
}

/** Asks for more a little before the reader gets to it, so that what is being read stays where it is. */
function EarlierMessages({ scroller, onReached }: EarlierMessagesProps) {
  const marker = useRef<HTMLDivElement>(null)
  const reach = useEffectEvent(onReached)
  useEffect(() => {
    const element = marker.current
    if (!element) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) reach()
      },
      { root: scroller.current, rootMargin: "800px 0px 0px" },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [scroller])
  return <div ref={marker} className="h-6 shrink-0" />
}
