import { t } from "i18next"
import { Ellipsis, Layers, SquarePen } from "lucide-react"
import type { ComponentType } from "react"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import type { Project } from "../../../shared/contract/projects.ts"
import { useProject } from "../../data/projects.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { ButtonLink, IconButton } from "../../ui/controls/Button.tsx"
import { EmptyState, PageHeader } from "../../ui/PageParts.tsx"
import { Spinner } from "../../ui/Progress.tsx"
import { ProjectActions } from "./ProjectActions.tsx"
import { ProjectChats } from "./ProjectChats.tsx"
import { ProjectEditor } from "./ProjectEditor.tsx"

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
