import { Link, useLocation } from "wouter"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { formatFullMoment } from "../../lib/words/format.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { classNames } from "../../ui/class-names.ts"
import { ChatMark } from "./ChatMark.tsx"
import { ConversationMenu } from "./ConversationMenu.tsx"

/** A chat and its activity: an answer being written, a waiting tool call or an unread answer. */
export function ConversationRow({ chat }: { chat: ConversationSummary }) {
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
        className="flex h-full min-w-0 flex-1 items-center gap-1.5 rounded-md px-2 text-sm"
      >
        <span
          className={classNames("min-w-0 flex-1 truncate", chat.unread && !active && "font-medium text-ink")}
        >
          {chat.title}
        </span>
        <ChatMark chat={chat} active={active} />
      </Link>
      <ConversationMenu
        chat={chat}
        listed
        className="mr-0.5 w-0 opacity-0 group-focus-within/chat:w-7 group-focus-within/chat:opacity-100 group-hover/chat:w-7 group-hover/chat:opacity-100 data-[state=open]:w-7 data-[state=open]:opacity-100 no-hover:w-7 no-hover:opacity-100"
      />
    </div>
  )
}
