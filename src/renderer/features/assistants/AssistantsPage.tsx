import { t } from "i18next"
import { FileUp, MessageSquarePlus, Bot, Plus } from "lucide-react"
import { useState } from "react"
import { Link } from "wouter"
import type { AssistantEntry } from "../../../shared/contract/assistants.ts"
import { createAssistant, useEnableAssistant, useAssistants } from "../../data/assistants.ts"
import { describeError } from "../../lib/box.ts"
import { navigateIfIdle } from "../../lib/navigation/hash-location.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { showError, showToast } from "../../lib/toasts.ts"
import { Note } from "../../ui/Note.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { classNames } from "../../ui/class-names.ts"
import { IconButton, ButtonLink } from "../../ui/controls/Button.tsx"
import { useFileInput } from "../../ui/controls/FileInput.tsx"
import { SearchField } from "../../ui/controls/SearchField.tsx"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { RowMenu } from "../../ui/layers/Menu.tsx"
import { AssistantAvatar } from "../../ui/pictures/AssistantAvatar.tsx"
import { AssistantMenu, assistantDeletions } from "./AssistantMenu.tsx"
import { TemplateCards } from "./AssistantTemplates.tsx"
import { readAssistantFile } from "./assistant-file.ts"

/** Creates an assistant from a file, and shows the result. */
function OpenFileButton() {
  const chooser = useFileInput({
    label: t("assistants:file.choose"),
    accept: ".json,application/json",
    onFiles: ([file]) => {
      if (file) addFromFile(file).catch(showError)
    },
  })
  return (
    <>
      <IconButton label={t("assistants:file.open")} onClick={chooser.open}>
        <FileUp aria-hidden />
      </IconButton>
      {chooser.input}
    </>
  )
}

async function addFromFile(file: File): Promise<void> {
  const open = navigateIfIdle()
  const draft = readAssistantFile(await file.text())
  if (!draft) return showToast(t("assistants:file.unreadable"), "error")
  const { id } = await createAssistant(draft)
  open(routes.assistant(id))
  showToast(t("assistants:file.opened", { name: draft.name }))
}

/** An assistant in the list, with its owner and actions. */
function AssistantRow({ assistant }: { assistant: AssistantEntry }) {
  const { id, name, handle, description, enabled, owned } = assistant
  const enable = useEnableAssistant(id)
  return (
    <li className="flex items-center gap-2 rounded-lg px-3 transition-colors hover:bg-hover">
      <Link href={routes.assistant(id)} className="flex min-w-0 flex-1 items-center gap-3 rounded-md py-2">
        <span className={classNames(!enabled && "opacity-50 grayscale")}>
          <AssistantAvatar assistant={assistant} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="truncate font-medium" title={name}>
              {name}
            </span>
            <span className="shrink truncate text-xs text-faint max-sm:hidden" title={`@${handle}`}>
              @{handle}
            </span>
          </span>
          <span className="block truncate text-xs text-soft" title={description}>
            {[describeSharing(assistant), description].filter((text) => text !== "").join(" · ")}
          </span>
        </span>
      </Link>
      {enabled ? (
        <ButtonLink href={routes.newChatWith(id)}>
          <MessageSquarePlus aria-hidden />
          <span className="@max-2xl:sr-only">{t("assistants:chat")}</span>
          <span className="sr-only">{t("assistants:chatWith", { name })}</span>
        </ButtonLink>
      ) : (
        !owned && <span className="text-xs text-faint">{t("assistants:off")}</span>
      )}
      {owned && (
        <Switch
          aria-label={t("assistants:enabledNamed", { name })}
          checked={enabled}
          disabled={enable.isPending}
          onCheckedChange={(on) => enable.mutate(on, { onError: showError })}
        />
      )}
      <RowMenu
        label={t("assistants:menu", { name })}
        renderMenu={(trigger) => <AssistantMenu assistant={assistant} trigger={trigger} defaultOpen />}
      />
    </li>
  )
}

/** Describes who else may use it, or who shares it. */
function describeSharing({ owned, ownerName, visibility }: AssistantEntry): string {
  if (!owned) return t("assistants:sharedBy", { name: ownerName })
  return visibility === "PRIVATE" ? "" : t(`assistants:sharing.${visibility}`)
}

/** Every assistant the user can use: their own first, then shared ones. */
export function AssistantsPage() {
  const { data, error } = useAssistants()
  const leaving = assistantDeletions.useLeaving()
  const [search, setSearch] = useState("")
  const assistants = data?.filter(({ id }) => !leaving.has(id))
  const shown = assistants?.filter((assistant) => matchesSearch(assistant, search)) ?? []
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
            <AssistantGroup title={t("assistants:own")} assistants={own} />
            <AssistantGroup title={t("assistants:shared")} assistants={others} />
            {shown.length === 0 && (
              <p className="p-3 text-sm text-soft">{t("assistants:notFound", { search })}</p>
            )}
          </div>
        )}
      </div>
    </section>
  )
}

function AssistantGroup({ title, assistants }: { title: string; assistants: AssistantEntry[] }) {
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

function matchesSearch({ name, handle, description }: AssistantEntry, search: string): boolean {
  const wanted = search.trim().replace(/^@/, "").toLowerCase()
  return [name, handle, description].some((text) => text.toLowerCase().includes(wanted))
}
