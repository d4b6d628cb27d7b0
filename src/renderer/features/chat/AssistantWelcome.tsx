import { t } from "i18next"
import { MessageSquare } from "lucide-react"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import { useAssistant } from "../../data/assistants.ts"
import { useReadAhead } from "../../data/chats/reading.ts"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { Note } from "../../ui/Note.tsx"

interface AssistantWelcomeProps {
  assistant: AssistantEntry
  /** Heading level of its name: a screen's title, or that of a section. */
  heading: "h1" | "h3"
  /** Folders for the first question. */
  folderIds: readonly string[]
  /** Puts a starter prompt into the composer. The prompt may be longer than its label. */
  onChooseText: (text: string) => void
}

/** An empty chat with an assistant: its name and description, and what to ask. */
export function AssistantWelcome({
  assistant,
  heading: Heading,
  folderIds,
  onChooseText,
}: AssistantWelcomeProps) {
  const { data: whole } = useAssistant(assistant.id)
  useReadAhead({ assistantId: assistant.id, folderIds })
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center px-6 py-8">
        <AssistantAvatar assistant={assistant} size="large" />
        <Heading className="mt-4 text-xl font-semibold tracking-tight break-words">{assistant.name}</Heading>
        <p className="mt-1 break-words text-soft">{assistant.description || `@${assistant.handle}`}</p>
        {!assistant.enabled && (
          <div className="mt-4">
            <Note kind="warning">{t("chat:assistant.off", { name: assistant.name })}</Note>
          </div>
        )}
        {whole && whole.suggestions.length > 0 && (
          <ul
            aria-label={t("chat:assistant.starters")}
            className="mt-6 grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-2"
          >
            {whole.suggestions.map(({ label, prompt }) => (
              // Two identical starters have the same key, but nothing distinguishes them anyway.
              <li key={`${label}\n${prompt}`}>
                <button
                  type="button"
                  title={prompt}
                  onClick={() => onChooseText(prompt)}
                  className="flex h-full w-full items-start gap-2.5 rounded-lg border border-line px-3 py-2.5 text-left text-sm transition-colors hover:border-line-strong hover:bg-hover"
                >
                  <MessageSquare className="mt-0.5 size-4 shrink-0 text-faint" aria-hidden />
                  <span className="line-clamp-3 min-w-0 break-words">{label}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}
