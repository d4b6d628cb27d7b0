import { t } from "i18next"
import { GitBranch } from "lucide-react"
import type { ReactNode } from "react"
import { useLocation } from "wouter"
import type { Conversation } from "../../../shared/contract/conversations.ts"
import { formatFullMoment } from "../../lib/format.ts"
import { routes } from "../../lib/routes.ts"
import { Button } from "../../ui/Button.tsx"
import { Menu, MenuItem } from "../../ui/Menu.tsx"
import { PageHeader } from "../../ui/PageHeader.tsx"

interface ChatHeaderProps {
  chatId: string
  conversation: Conversation | null | undefined
  branch: string | undefined
  menu: ReactNode
}

/** The conversation's title, its versions and its actions. */
export function ChatHeader({ chatId, conversation, branch, menu }: ChatHeaderProps) {
  return (
    <PageHeader title={conversation?.title ?? "New chat"}>
      {conversation && <Versions chatId={chatId} conversation={conversation} branch={branch} />}
      {conversation && menu}
    </PageHeader>
  )
}

function Versions({
  chatId,
  conversation,
  branch,
}: Omit<ChatHeaderProps, "menu"> & { conversation: Conversation }) {
  const [, navigate] = useLocation()
  const branches = conversation.branches.toReversed() // oldest first, so that a version keeps its number
  if (branches.length < 2) return null
  const shown = branches.findIndex((candidate) =>
    branch === undefined ? candidate.current : candidate.id === branch,
  )
  return (
    <Menu
      trigger={
        <Button variant="quiet" className="px-2">
          <GitBranch aria-hidden /> Version {shown + 1} of {branches.length}
        </Button>
      }
    >
      {branches.map(({ id, createdAt, messageCount, current }, index) => (
        <MenuItem key={id} onSelect={() => navigate(routes.chat(chatId, current ? undefined : id))}>
          <span className="flex-1">
            Version {index + 1}
            {current && " (current)"}
          </span>
          <span className="text-xs text-faint">
            {t("messageCount", { count: messageCount })} · {formatFullMoment(createdAt)}
          </span>
        </MenuItem>
      ))}
    </Menu>
  )
}
