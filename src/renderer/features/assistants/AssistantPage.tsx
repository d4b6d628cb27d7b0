import { t } from "i18next"
import { Ellipsis, MessageSquarePlus, Bot } from "lucide-react"
import type { Assistant } from "../../../shared/contract/assistants.ts"
import { useTools, useAssistant } from "../../data/assistants.ts"
import { useSession } from "../../data/session.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { wording } from "../../lib/words/tool-wording.ts"
import { Note } from "../../ui/Note.tsx"
import { PageHeader, EmptyState } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { ButtonLink, IconButton } from "../../ui/controls/Button.tsx"
import { Facts } from "../../ui/controls/Sections.tsx"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { LongText } from "../../ui/text/LongText.tsx"
import { AssistantMenu } from "./AssistantMenu.tsx"
import { isTemplate, templateForm } from "./AssistantTemplates.tsx"
import { AssistantEditor, type AssistantPreview } from "./editor/AssistantEditor.tsx"
import { emptyForm, toForm } from "./editor/form.ts"

/** Someone else's assistant, which can be used and viewed but not changed. */
function SharedAssistant({ assistant }: { assistant: Assistant }) {
  const { id, name, handle, description, instructions, enabled, ownerName } = assistant
  const { data: tools = [] } = useTools()
  const used = tools.filter(({ key }) => assistant.builtInTools[key] === true)
  return (
    <section aria-label={name} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={name} icon={<AssistantAvatar assistant={assistant} size="small" />}>
        {enabled && (
          <ButtonLink href={routes.newChatWith(id)} variant="primary">
            <MessageSquarePlus aria-hidden /> {t("assistants:chat")}
          </ButtonLink>
        )}
        <AssistantMenu
          assistant={assistant}
          trigger={
            <IconButton label={t("assistants:menu", { name })}>
              <Ellipsis aria-hidden />
            </IconButton>
          }
        />
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-2xl flex-col gap-5 p-6">
          <Note>{t("assistants:useOnly", { name: ownerName })}</Note>
          {!enabled && <Note kind="warning">{t("assistants:switchedOff", { name: ownerName })}</Note>}
          {description !== "" && <p className="break-words">{description}</p>}
          <Facts
            rows={[
              [t("assistants:handle.label"), `@${handle}`],
              [t("assistants:folders.title"), listNames(assistant.vectors.map((folder) => folder.name))],
              [t("assistants:tools.title"), listNames(used.map((tool) => wording(tool).name))],
            ]}
          />
          {instructions !== "" && (
            <section>
              <h2 className="mb-1.5 text-sm font-medium">{t("assistants:instructions.label")}</h2>
              <p className="max-h-96 overflow-y-auto rounded-lg bg-well p-3 text-sm break-words whitespace-pre-wrap">
                <LongText text={instructions} />
              </p>
            </section>
          )}
        </div>
      </div>
    </section>
  )
}

const listNames = (names: string[]): string =>
  names.length === 0 ? t("assistants:nothing") : names.join(", ")

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
