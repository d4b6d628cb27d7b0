import { t } from "i18next"
import { Ellipsis, Layers, SquarePen } from "lucide-react"
import { type ComponentType, useState } from "react"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import type { Project } from "../../../shared/contract/projects.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { useProjectChats } from "../../data/chats/conversations.ts"
import { useUpdateProject, useProject } from "../../data/projects.ts"
import { describeError } from "../../lib/box.ts"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { getIssues } from "../../lib/words/field-issues.ts"
import { Note } from "../../ui/Note.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { classNames } from "../../ui/class-names.ts"
import { Button, ButtonLink, IconButton } from "../../ui/controls/Button.tsx"
import { LeaveQuestion } from "../../ui/layers/Dialog.tsx"
import { ProjectActions } from "./ProjectActions.tsx"
import { toForm, isSame, type ProjectForm, ProjectFields } from "./ProjectFields.tsx"

interface ProjectChatsProps {
  project: Project
  ChatRow: ComponentType<{ chat: ConversationSummary }>
}

/** A project's chats by last change, one page at a time; if there are none, explains what a project is for. */
function ProjectChats({ project, ChatRow }: ProjectChatsProps) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useProjectChats(project.id)
  const leaving = chatDeletions.useLeaving()
  const chats = data?.pages.flatMap((page) => page.chats).filter(({ id }) => !leaving.has(id))
  return (
    <section className="mb-8">
      <h2 className="mb-2 font-medium">{t("projects:chats")}</h2>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {chats?.length === 0 && (
        <p className="text-sm text-soft">
          {t("projects:what")} {t("projects:noChats")}
        </p>
      )}
      {chats && chats.length > 0 && (
        <ul className="-mx-2">
          {chats.map((chat) => (
            <li key={chat.id}>
              <ChatRow chat={chat} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button className="mt-2" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t("projects:moreChats")}
        </Button>
      )}
    </section>
  )
}

/** Returns the changes made since the given ones were saved. */
const withoutSaved = (now: Partial<ProjectForm>, saved: Partial<ProjectForm>): Partial<ProjectForm> =>
  Object.fromEntries(
    Object.entries(now).filter(([field, value]) => value !== saved[field as keyof ProjectForm]),
  )

/** Edits what each chat of the project receives. Typed text stays until it is saved or discarded. */
function ProjectEditor({ project }: { project: Project }) {
  const saved = toForm(project)
  const [changes, setChanges] = useState<Partial<ProjectForm>>({})
  const form = { ...saved, ...changes }
  const isDirty = !isSame(form, saved)
  const isUnconfirmed = project.writtenByScopedKey === true
  const canSave = (isDirty || isUnconfirmed) && form.name.trim() !== ""
  const update = useUpdateProject(project.id)
  const issues = getIssues(update.error, Object.keys(saved))

  function save() {
    if (!canSave || update.isPending) return
    const { instructions, assistantId } = form
    const given = isUnconfirmed ? { instructions, assistantId, ...changes } : changes
    const body = { ...given, ...(given.name !== undefined && { name: given.name.trim() }) }
    update.mutate(body, { onSuccess: () => setChanges((now) => withoutSaved(now, changes)) })
  }
  useShortcuts({ save })

  return (
    <section>
      <h2 className="font-medium">{t("projects:given")}</h2>
      <p className="mt-0.5 mb-4 text-sm text-soft">{t("projects:givenText")}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        {isUnconfirmed && (
          <div className="mb-4">
            <Note kind="warning">{t("projects:writtenByKey")}</Note>
          </div>
        )}
        <ProjectFields
          form={form}
          issues={form.name.trim() === "" ? { ...issues, name: t("projects:nameMissing") } : issues}
          onChange={(part) => {
            if (update.isError) update.reset()
            setChanges({ ...changes, ...part })
          }}
        />
        {issues.other !== undefined && (
          <div className="mt-4">
            <Note kind="error">{issues.other}</Note>
          </div>
        )}
        <div
          className={classNames(
            "mt-4 flex items-center justify-end gap-2 bg-canvas py-3",
            isDirty && "sticky bottom-0",
          )}
        >
          <span aria-live="polite" className="mr-auto text-xs text-faint">
            {isDirty ? t("projects:unsaved") : update.isSuccess ? t("projects:saved") : ""}
          </span>
          {isDirty && <Button onClick={() => setChanges({})}>{t("projects:discard")}</Button>}
          <Button
            type="submit"
            variant={isDirty ? "primary" : "secondary"}
            title={shortcutName("save")}
            busy={update.isPending}
            disabled={!canSave}
          >
            {t("projects:save")}
          </Button>
        </div>
      </form>
      <LeaveQuestion unsaved={isDirty} />
    </section>
  )
}

interface ProjectPageProps {
  id: string
  /** A chat in a list, with its menu of actions. */
  ChatRow: ComponentType<{ chat: ConversationSummary }>
}

/** A project: its chats, and what each of them receives. */
export function ProjectPage({ id, ChatRow }: ProjectPageProps) {
  const project = useProject(id)
  if (project === undefined) {
    return (
      <div className="m-auto text-faint">
        <Spinner label={t("common:loading")} />
      </div>
    )
  }
  if (project === null) {
    return (
      <EmptyState
        icon={Layers}
        title={t("projects:missing")}
        action={<ButtonLink href={routes.projects}>{t("projects:all")}</ButtonLink>}
      >
        {t("projects:missingText")}
      </EmptyState>
    )
  }
  return <Shown project={project} ChatRow={ChatRow} />
}

function Shown({ project, ChatRow }: { project: Project } & Pick<ProjectPageProps, "ChatRow">) {
  const { id, name } = project
  return (
    <section aria-label={name} className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={name} icon={<Layers className="size-4 shrink-0 text-soft" aria-hidden />}>
        <ButtonLink href={routes.newChatInProject(id)} variant="primary">
          <SquarePen aria-hidden />
          <span className="@max-xl:sr-only">{t("projects:newChat")}</span>
        </ButtonLink>
        <ProjectActions
          project={project}
          trigger={
            <IconButton label={t("projects:actions", { name })}>
              <Ellipsis aria-hidden />
            </IconButton>
          }
        />
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-2xl px-6 py-5">
          <ProjectChats project={project} ChatRow={ChatRow} />
          <ProjectEditor key={id} project={project} />
        </div>
      </div>
    </section>
  )
}
