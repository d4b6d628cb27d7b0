import { t } from "i18next"
import type { ReactNode } from "react"
import type { Conversation } from "../../../shared/contract/conversations.ts"
import { PageHeader } from "../../ui/PageHeader.tsx"

interface ChatHeaderProps {
  conversation: Conversation | null | undefined
  menu: ReactNode
}

/** The conversation's title and its actions. */
export function ChatHeader({ conversation, menu }: ChatHeaderProps) {
  return <PageHeader title={conversation?.title ?? t("chat:newChat")}>{conversation && menu}</PageHeader>
}
