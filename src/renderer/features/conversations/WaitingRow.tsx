import { Clock } from "lucide-react"
import { Link, useLocation } from "wouter"
import { routes } from "../../lib/navigation/routes.ts"
import { classNames } from "../../ui/class-names.ts"

/** A chat whose first question hasn't been asked yet. */
export function WaitingRow({ chatId, question }: { chatId: string; question: string }) {
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
