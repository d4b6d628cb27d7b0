import { t } from "i18next"
import { Bot, Plus } from "lucide-react"
import { useState } from "react"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import { useAssistants } from "../../data/assistants.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { ButtonLink } from "../../ui/controls/Button.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Note } from "../../ui/Note.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { AssistantRow } from "./AssistantRow.tsx"
import { assistantDeletions } from "./assistant-deletions.ts"
import { OpenFileButton } from "./OpenFileButton.tsx"
import { TemplateCards } from "./TemplateCards.tsx"

/** Every assistant the user can use: their own first, then shared ones. */
export function AssistantsPage() {
  const { data, error } = useAssistants()
  const leaving = assistantDeletions.useLeaving()
  const [search, setSearch] = useState("")
  const assistants = data?.filter(({ id }) => !leaving.has(id))
  const shown = assistants?.filter((assistant) => matches(assistant, search)) ?? []
  const own = shown.filter(({ owned }) => owned)
  const others = shown.filter(({ owned }) => !owned)

  return (
    <section aria-label={t("frame:assistants")} className="@container flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("frame:assistants")}>
        <OpenFileButton />
        <ButtonLink variant="primary" href={routes.newAssistant}>
          <Plus aria-hidden /> {t("assistants:new")}
        </ButtonLink>
      </PageHeader>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        {error && (
          <div className="p-4">
            <Note kind="error">{describeError(error)}</Note>
          </div>
        )}
        {assistants?.length === 0 && (
          <div className="m-auto w-full max-w-2xl px-6 py-8">
            <EmptyState icon={Bot} title={t("frame:noAssistants.title")}>
              {t("frame:noAssistants.text")}
            </EmptyState>
            <h2 className="mb-2 text-xs font-medium text-faint">{t("assistants:templates")}</h2>
            <TemplateCards />
          </div>
        )}
        {assistants && assistants.length > 0 && (
          <div className="p-2">
            <SearchField label={t("assistants:find")} value={search} onChange={setSearch} className="m-2" />
            <Group title={t("assistants:own")} assistants={own} />
            <Group title={t("assistants:shared")} assistants={others} />
            {shown.length === 0 && (
              <p className="p-3 text-sm text-soft">{t("assistants:notFound", { search })}</p>
            )}
          </div>
        )}
      </div>
    </section>
  )
}

function Group({ title, assistants }: { title: string; assistants: AssistantEntry[] }) {
  if (assistants.length === 0) return null
  return (
    <section aria-label={title} className="mb-4">
      <h2 className="px-3 py-1.5 text-xs font-medium text-faint">{title}</h2>
      <ul>
        {assistants.map((assistant) => (
          <AssistantRow key={assistant.id} assistant={assistant} />
        ))}
      </ul>
    </section>
  )
}

function matches({ name, handle, description }: AssistantEntry, search: string): boolean {
  const wanted = search.trim().replace(/^@/, "").toLowerCase()
  return [name, handle, description].some((text) => text.toLowerCase().includes(wanted))
}
