import { t } from "i18next"
import { Bot } from "lucide-react"
import { useAssistant } from "../../data/assistants.ts"
import { useSession } from "../../data/session.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { ButtonLink } from "../../ui/controls/Button.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Note } from "../../ui/Note.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { AssistantEditor } from "./editor/AssistantEditor.tsx"
import type { AssistantPreview } from "./editor/PreviewPanel.tsx"
import { emptyForm, toForm } from "./editor/form.ts"
import { SharedAssistant } from "./SharedAssistant.tsx"
import { isTemplate, templateForm } from "./templates.ts"

/** One assistant: an editor for the user's own, a read-only view of someone else's. */
export function AssistantPage({ id, Preview }: { id: string; Preview: AssistantPreview }) {
  const { data: assistant, error } = useAssistant(id)
  const { data: session } = useSession()
  if (assistant === null) {
    return (
      <section className="flex min-w-0 flex-1 flex-col">
        <PageHeader title={t("frame:notFound.name")} />
        <EmptyState
          icon={Bot}
          title={t("assistants:missing.title")}
          action={<ButtonLink href={routes.assistants}>{t("assistants:missing.action")}</ButtonLink>}
        >
          {t("assistants:missing.text")}
        </EmptyState>
      </section>
    )
  }
  if (error && !assistant) {
    return (
      <div className="m-auto max-w-md p-6">
        <Note kind="error">{describeError(error)}</Note>
      </div>
    )
  }
  if (!assistant || !session) {
    return (
      <div className="m-auto text-faint">
        <Spinner label={t("common:loading")} />
      </div>
    )
  }
  if (!assistant.owned) return <SharedAssistant assistant={assistant} />
  return (
    <AssistantEditor
      userId={session.user.id}
      assistant={assistant}
      saved={toForm(assistant)}
      draftName={assistant.id}
      Preview={Preview}
    />
  )
}

/** A new assistant, empty or from a template. */
export function NewAssistantPage(props: { template: string | undefined; Preview: AssistantPreview }) {
  const { template, Preview } = props
  const { data: session } = useSession()
  if (!session) return null
  const chosen = isTemplate(template) ? template : undefined
  return (
    <AssistantEditor
      userId={session.user.id}
      assistant={undefined}
      saved={chosen === undefined ? emptyForm : templateForm(chosen)}
      draftName={chosen === undefined ? "new" : `new:${chosen}`}
      Preview={Preview}
    />
  )
}
