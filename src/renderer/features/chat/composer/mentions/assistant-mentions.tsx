import { t } from "i18next"
import type { AssistantEntry } from "../../../../../shared/contract/assistants.ts"
import { AssistantAvatar } from "../../../../ui/pictures/AssistantAvatar.tsx"
import type { MentionSource } from "./mention.ts"

/** `@handle` in a question selects the assistant that answers. Disabled assistants aren't offered. */
export const assistantMentions = (
  assistants: AssistantEntry[],
  onChoose: (assistantId: string) => void,
): MentionSource => ({
  trigger: "@",
  title: t("chat:assistant.mention"),
  options: assistants
    .filter(({ enabled }) => enabled)
    .map((assistant) => ({
      id: assistant.id,
      name: assistant.handle,
      detail: assistant.name,
      icon: <AssistantAvatar assistant={assistant} size="small" />,
    })),
  onChoose: ({ id }) => onChoose(id),
})
