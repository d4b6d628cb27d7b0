import { t } from "i18next"
import type { ComponentType } from "react"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import type { Project } from "../../../shared/contract/projects.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { useProjectChats } from "../../data/chats/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"

interface ProjectChatsProps {
  project: Project
  ChatRow: ComponentType<{ chat: ConversationSummary }>
}

/** A project's chats by last change, one page at a time; if there are none, explains what a project is for. */
export function ProjectChats({ project, ChatRow }: ProjectChatsProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useProjectChats(project.id)
  const leaving = chatDeletions.useLeaving()
  const chats = data?.pages.flatMap((page) => page.chats).filter(({ id }) => !leaving.has(id))
  return (
    <section className="mb-8">
      <h2 className="mb-2 font-medium">{t("projects:chats")}</h2>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {chats?.length === 0 && (
        <p className="text-sm text-soft">
          {t("projects:what")} {t("projects:noChats")}
        </p>
      )}
      {chats && chats.length > 0 && (
        <ul className="-mx-2">
          {chats.map((chat) => (
            <li key={chat.id}>
              <ChatRow chat={chat} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button className="mt-2" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("projects:moreChats")}
        </Button>
      )}
    </section>
  )
}
