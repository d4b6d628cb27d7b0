import { t } from "i18next"
import { Ellipsis, MessageSquarePlus } from "lucide-react"
import type { Assistant } from "../../../shared/contract/assistants.ts"
import { useTools } from "../../data/assistants.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { ButtonLink, IconButton } from "../../ui/controls/Button.tsx"
import { LongText } from "../../ui/text/LongText.tsx"
import { Note } from "../../ui/Note.tsx"
import { PageHeader } from "../../ui/PageParts.tsx"
import { Facts } from "../../ui/controls/Sections.tsx"
import { AssistantMenu } from "./AssistantMenu.tsx"
import { wording } from "../../lib/words/tool-wording.ts"

/** Someone else's assistant, which can be used and viewed but not changed. */
export function SharedAssistant({ assistant }: { assistant: Assistant }) {
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
              [t("assistants:folders.title"), list(assistant.vectors.map((folder) => folder.name))],
              [t("assistants:tools.title"), list(used.map((tool) => wording(tool).name))],
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

const list = (names: string[]): string => (names.length === 0 ? t("assistants:nothing") : names.join(", "))
