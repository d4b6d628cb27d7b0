import { t } from "i18next"
import { useState } from "react"
import type { Automation } from "../../../shared/contract/automations.ts"
import type { Conversation } from "../../../shared/contract/conversations.ts"
import { createAutomation, updateAutomation } from "../../data/automations.ts"
import { useConversation } from "../../data/chats/conversations.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { Spinner } from "../../ui/Progress.tsx"
import {
  toBody,
  emptyForm,
  toForm,
  isTemplate,
  maxNameLength,
  maxPromptLength,
  templateForm,
  type AutomationForm,
} from "./automation-form.ts"
import { AutomationEditor } from "./AutomationEditor.tsx"
import { AutomationLoader } from "./AutomationPage.tsx"

/** The editor of an existing automation. */
export const ChangePage = ({ id }: { id: string }) => (
  <AutomationLoader id={id}>{(automation) => <Change automation={automation} />}</AutomationLoader>
)

function Change({ automation }: { automation: Automation }) {
  const { id, name } = automation
  return (
    <AutomationEditor
      title={name}
      initialForm={toForm(automation)}
      hookOf={automation.trigger.kind === "hook" ? id : undefined}
      back={workRoutes.one(id)}
      save={(form) => updateAutomation(id, toBody(form))}
    />
  )
}

interface NewPageProps {
  template: string | undefined
  /** The folder whose files trigger it. */
  folderId: string | undefined
  /** The chat whose last question it asks. */
  chatId: string | undefined
}

/** A new automation: empty, from a template, for a folder, or from a chat. */
export function NewPage({ template, folderId, chatId }: NewPageProps) {
  const { data: chat, isPending } = useConversation(chatId ?? "", undefined, chatId !== undefined)
  if (chatId !== undefined && isPending)
    return (
      <div className="m-auto text-faint">
        <Spinner label={t("common:loading")} />
      </div>
    )
  if (chat) return <Make initialForm={createFormFromChat(chat)} />
  if (isTemplate(template)) return <Make initialForm={templateForm(template)} />
  return <Make initialForm={{ ...emptyForm(), ...(folderId !== undefined && { kind: "file", folderId }) }} />
}

function createFormFromChat({ title, assistantId, vectorIds, messages }: Conversation): AutomationForm {
  const asked = messages.findLast(({ role }) => role === "user")?.content ?? ""
  return {
    ...emptyForm(),
    name: title.slice(0, maxNameLength),
    prompt: asked.slice(0, maxPromptLength),
    assistantId,
    vectorIds,
  }
}

/** Keeps the initial form as it was when the editor was opened. */
function Make({ initialForm }: { initialForm: AutomationForm }) {
  const [kept] = useState(initialForm)
  return (
    <AutomationEditor
      title={t("automations:new")}
      initialForm={kept}
      isNew
      hookOf={undefined}
      back={routes.work}
      save={(form) => createAutomation(toBody(form))}
    />
  )
}
