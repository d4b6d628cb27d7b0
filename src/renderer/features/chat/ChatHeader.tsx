import { t } from "i18next"
import { Suspense, type ReactNode } from "react"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import type { Conversation } from "../../../shared/contract/conversations.ts"
import { later } from "../../lib/later.ts"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { PageHeader } from "../../ui/PageHeader.tsx"

const ProjectChip = later(async () => (await import("./ProjectChip.tsx")).ProjectChip)

interface ChatHeaderProps {
  conversation: Conversation | null | undefined
  projectId: string | null | undefined
  /** Who answers. */
  assistant: AssistantEntry | undefined
  menu: ReactNode
}

/** The conversation's title, its project, who answers in it, and its actions. */
export function ChatHeader({ conversation, projectId, assistant, menu }: ChatHeaderProps) {
  return (
    <PageHeader title={conversation?.title ?? t("chat:newChat")}>
      {projectId != null && (
        <Suspense>
          <ProjectChip projectId={projectId} />
        </Suspense>
      )}
      {assistant && (
        <span
          title={t("chat:assistant.chosen", { name: assistant.name })}
          className="flex max-w-48 min-w-0 items-center gap-2 text-sm text-soft"
        >
          <AssistantAvatar assistant={assistant} size="small" />
          <span className="truncate">{assistant.name}</span>
        </span>
      )}
      {conversation && menu}
    </PageHeader>
  )
}
