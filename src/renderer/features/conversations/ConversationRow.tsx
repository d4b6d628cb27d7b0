import { t } from "i18next"
import { Pin } from "lucide-react"
import { Link, useLocation } from "wouter"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { formatFullMoment } from "../../lib/words/format.ts"
import { routes } from "../../lib/places/routes.ts"
import { classNames } from "../../ui/class-names.ts"
import { ConversationMenu } from "./ConversationMenu.tsx"

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
        <span className="min-w-0 truncate">{chat.title}</span>
        {chat.pinned && (
          <>
            <Pin className="size-3 shrink-0 text-faint" aria-hidden />
            <span className="sr-only">{t("conversations:pinned")}</span>
          </>
        )}
      </Link>
      <ConversationMenu
        chat={chat}
        className="mr-0.5 w-0 opacity-0 group-focus-within/chat:w-7 group-focus-within/chat:opacity-100 group-hover/chat:w-7 group-hover/chat:opacity-100 data-[state=open]:w-7 data-[state=open]:opacity-100 no-hover:w-7 no-hover:opacity-100"
      />
    </div>
  )
}
