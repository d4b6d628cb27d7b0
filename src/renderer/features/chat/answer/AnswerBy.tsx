import { useAssistants } from "../../../data/assistants.ts"
import { AssistantAvatar } from "../../../ui/pictures/AssistantAvatar.tsx"

/** The assistant that gave the answer. Renders nothing if it can no longer be used. */
export function AnswerBy({ assistantId }: { assistantId: string }) {
  const { data: assistants } = useAssistants()
  const assistant = assistants?.find(({ id }) => id === assistantId)
  if (!assistant) return null
  return (
    <p className="mb-2 flex items-center gap-2 text-sm">
      <AssistantAvatar assistant={assistant} size="small" />
      <span className="min-w-0 truncate font-medium" title={`@${assistant.handle}`}>
        {assistant.name}
      </span>
    </p>
  )
}
