import { t } from "i18next"
import { CornerLeftUp } from "lucide-react"
import { useEffect, useState } from "react"
import type { ShownMessage } from "../session/chat-view.ts"
import type { ShownList } from "../shown-list.ts"

const height = 36
const maxShown = 300

/** The question whose answer is being read, in one line above it, when the question itself is out of sight. */
export function StickyQuestion({ messages, list }: { messages: readonly ShownMessage[]; list: ShownList }) {
  const index = useStickyIndex(messages, list)
  const question = messages[index]
  const isShown = question !== undefined
  useEffect(() => {
    // Keeps elements that receive the keyboard focus from being hidden under the line.
    list.scroller()?.style.setProperty("scroll-padding-top", isShown ? `${height + 8}px` : "0")
  }, [list, isShown])
  if (!question) return null
  const text = question.content.trim().slice(0, maxShown)
  return (
    <div className="pointer-events-none absolute inset-x-0 top-0 z-10 mx-auto max-w-3xl px-5">
      <button
        type="button"
        aria-label={t("longChats:backToQuestion", { question: text })}
        title={text}
        onClick={() => list.goTo(index)}
        className="pointer-events-auto flex h-9 w-full animate-appear items-center gap-2 rounded-b-lg border border-t-0 border-line bg-raised px-3 text-left text-sm text-soft shadow-float hover:text-ink focus-visible:-outline-offset-2"
      >
        <CornerLeftUp className="size-3.5 shrink-0 text-faint" aria-hidden />
        <bdi className="min-w-0 flex-1 truncate">{text}</bdi>
      </button>
    </div>
  )
}

/** Returns the question's message index, or a negative number if there is none or only the end of its answer is visible. */
function useStickyIndex(messages: readonly ShownMessage[], list: ShownList): number {
  const [index, setIndex] = useState(-1)
  useEffect(() => {
    const scroller = list.scroller()
    const content = list.content()
    if (!scroller || !content) return undefined
    const check = () => {
      const first = list.firstShown()
      const row = content.querySelector(`[data-index="${first}"]`)
      const isAnswer = messages[first]?.role === "assistant" && messages[first - 1]?.role === "user"
      const left = row ? row.getBoundingClientRect().bottom - scroller.getBoundingClientRect().top : 0
      setIndex(isAnswer && left > height * 2 && scroller.scrollTop > 0 ? first - 1 : -1)
    }
    check()
    scroller.addEventListener("scroll", check, { passive: true })
    const observer = new ResizeObserver(check)
    observer.observe(content)
    return () => {
      scroller.removeEventListener("scroll", check)
      observer.disconnect()
    }
  }, [messages, list])
  return index
}
