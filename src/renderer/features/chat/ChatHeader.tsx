import { t } from "i18next"
import { TextSearch } from "lucide-react"
import { Suspense, type ReactNode } from "react"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import type { Conversation } from "../../../shared/contract/conversations.ts"
import { later } from "../../lib/later.ts"
import { shortcutName } from "../../lib/keys/shortcut.ts"
import { IconButton } from "../../ui/controls/Button.tsx"
import type { ShownMessage } from "./session/chat-view.ts"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { PageHeader } from "../../ui/PageParts.tsx"

const Outline = later(async () => (await import("./outline/Outline.tsx")).Outline)
const ProjectChip = later(async () => (await import("./ProjectChip.tsx")).ProjectChip)

/** Minimum number of questions for an outline; fewer fit on one screen. */
const outlinedFrom = 3

interface ChatHeaderProps {
  conversation: Conversation | null | undefined
  projectId: string | null | undefined
  /** The assistant that answers. */
  assistant: AssistantEntry | undefined
  messages: readonly ShownMessage[]
  onFind: () => void
  /** Returns the index of the message being read. */
  readAt: () => number
  onGoTo: (index: number) => void
  menu: ReactNode
}

/** The chat's title, project, assistant and actions. */
export function ChatHeader(props: ChatHeaderProps) {
  const { conversation, projectId, assistant, messages, onFind, readAt, onGoTo, menu } = props
  const questions = messages.filter(({ role }) => role === "user").length
  return (
    <PageHeader title={conversation?.title ?? t("chat:newChat")}>
      {projectId != null && (
        <Suspense>
          <ProjectChip projectId={projectId} titled={conversation != null} />
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
      {conversation && (
        <>
          {questions >= outlinedFrom && (
            <Suspense>
              <Outline messages={messages} readAt={readAt} onGoTo={onGoTo} />
            </Suspense>
          )}
          <IconButton label={t("chat:find")} keys={shortcutName("find")} onClick={onFind}>
            <TextSearch aria-hidden />
          </IconButton>
          {menu}
        </>
      )}
    </PageHeader>
  )
}
