import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { Bot } from "lucide-react"
import { box, describeError } from "../lib/box.ts"
import { EmptyState } from "../ui/EmptyState.tsx"
import { Note } from "../ui/Note.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"

/** The assistants that can be used, to read. */
export function AssistantsScreen() {
  const { data: assistants, error } = useQuery({
    queryKey: ["assistants"],
    queryFn: async ({ signal }) =>
      (await box.assistants.list({ query: { limit: 200 } }, { signal })).assistants,
  })
  return (
    <section aria-label={t("frame:assistants")} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t("frame:assistants")} />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto p-2">
        {error && <Note kind="error">{describeError(error)}</Note>}
        {assistants?.length === 0 && (
          <EmptyState icon={Bot} title={t("frame:noAssistants.title")}>
            {t("frame:noAssistants.text")}
          </EmptyState>
        )}
        <ul>
          {assistants?.map(({ id, name, handle, description }) => (
            <li key={id} className="flex items-center gap-3 px-3 py-2">
              <Bot className="size-4 shrink-0 text-faint" aria-hidden />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{name}</span>
                <span className="block truncate text-xs text-faint">
                  @{handle}
                  {description !== "" && ` · ${description}`}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
