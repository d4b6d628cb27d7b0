import { t } from "i18next"
import { Hand, LoaderCircle } from "lucide-react"
import { Link, useLocation } from "wouter"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { useActivity } from "../../data/chats/conversations.ts"
import { later } from "../../lib/later.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { formatFullMoment } from "../../lib/words/format.ts"
import { classNames } from "../../ui/class-names.ts"
import { RowMenu } from "../../ui/layers/Menu.tsx"
import type { MenuChat } from "./ConversationActions.tsx"

interface ChatMarkProps {
  chat: Pick<ConversationSummary, "id" | "unread">
  /** Whether the chat is on screen, so that its answers are being read. */
  active: boolean
}

/** The mark at the end of a chat's row: a hand if a tool call waits, a circle while an answer is written, a dot if an answer is unread. */
function ChatMark({ chat: { id, unread }, active }: ChatMarkProps) {
  const { answering, approvals } = useActivity()
  if (approvals.some(({ chatId }) => chatId === id)) {
    return (
      <>
        <Hand className="size-3.5 shrink-0 text-warning" aria-hidden />
        <span className="sr-only">{t("conversations:waitsForYou")}</span>
      </>
    )
  }
  if (answering.includes(id)) {
    return (
      <>
        <LoaderCircle className="size-3.5 shrink-0 animate-spin text-faint" aria-hidden />
        <span className="sr-only">{t("conversations:answering")}</span>
      </>
    )
  }
  if (!unread || active) return null
  return (
    <>
      <span className="size-2 shrink-0 rounded-full bg-accent" aria-hidden />
      <span className="sr-only">{t("conversations:unread")}</span>
    </>
  )
}

const ConversationActions = later(async () => (await import("./ConversationActions.tsx")).ConversationActions)

interface ConversationMenuProps {
  chat: MenuChat
  /** Whether it is one of several menus, which need distinct labels. */
  listed?: boolean
  className?: string
}

/** The menu of actions for a chat. */
export function ConversationMenu({ chat, listed = false, className }: ConversationMenuProps) {
  return (
    <RowMenu
      label={listed ? t("conversations:actionsOn", { title: chat.title }) : t("conversations:actions")}
      {...(className === undefined ? {} : { className })}
      renderMenu={(trigger) => <ConversationActions chat={chat} trigger={trigger} />}
    />
  )
}

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
