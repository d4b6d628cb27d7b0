import { t } from "i18next"
import { ChevronRight, Plus } from "lucide-react"
import { useState } from "react"
import { Link, useRoute } from "wouter"
import type { Project } from "../../../shared/contract/projects.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { useConversation, useProjectChats } from "../../data/chats/conversations.ts"
import { useProjects } from "../../data/projects.ts"
import { ConversationRow } from "../../features/conversations/ConversationRow.tsx"
import { projectDeletions } from "../../features/projects/project-deletions.ts"
import { later } from "../../lib/later.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { useRemembered } from "../../lib/remembered.ts"
import { classNames } from "../../ui/class-names.ts"
import { RowMenu } from "../../ui/layers/Menu.tsx"
import { SidebarGroup, SidebarLink, shownProjects } from "./SidebarLink.tsx"

const ProjectActions = later(
  async () => (await import("../../features/projects/ProjectActions.tsx")).ProjectActions,
)

/** The menu of actions at the end of a project's row. */
function ProjectMenu({ project }: { project: Project }) {
  return (
    <RowMenu
      label={t("projects:actions", { name: project.name })}
      className="mr-0.5 w-0 opacity-0 group-focus-within/link:w-7 group-focus-within/link:opacity-100 group-hover/link:w-7 group-hover/link:opacity-100 data-[state=open]:w-7 data-[state=open]:opacity-100 no-hover:w-7 no-hover:opacity-100"
      renderMenu={(trigger) => <ProjectActions project={project} trigger={trigger} defaultOpen />}
    />
  )
}

const shownChats = 4
/** Maximum number of expanded projects remembered on this computer. */
const maxOpen = 20

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

/** The first projects, and that of the chat on screen, each with its chats below it and a link to all of them. */
export function SidebarProjects() {
  const { data } = useProjects()
  const leaving = projectDeletions.useLeaving()
  const projects = data?.filter(({ id }) => !leaving.has(id)) ?? []
  const [openIds, setOpenIds] = useRemembered<string[]>("sidebar-open-projects", [], isIds)
  const here = useProjectHere()
  const [openedFor, setOpenedFor] = useState<string>()
  const setOpen = (id: string, open: boolean) =>
    setOpenIds([...openIds.filter((other) => other !== id), ...(open ? [id] : [])].slice(-maxOpen))

  // Opening a project's chat expands the project; the user can collapse it again.
  if (here !== openedFor) {
    setOpenedFor(here)
    if (here !== undefined && !openIds.includes(here)) setOpen(here, true)
  }

  const first = projects.slice(0, shownProjects)
  const shown = [...first, ...projects.filter((one) => one.id === here && !first.includes(one))]
  return (
    <SidebarGroup
      name="projects"
      title={t("projects:title")}
      initiallyOpen
      action={
        <Link
          href={routes.newProject}
          aria-label={t("projects:new")}
          title={t("projects:new")}
          className="mr-0.5 inline-flex size-6 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
        >
          <Plus className="size-4" aria-hidden />
        </Link>
      }
    >
      {shown.map((project) => (
        <ProjectEntry
          key={project.id}
          project={project}
          open={openIds.includes(project.id)}
          onOpen={(open) => setOpen(project.id, open)}
        />
      ))}
      {(projects.length === 0 || projects.length > shownProjects) && (
        <Link
          href={routes.projects}
          className="flex h-8 items-center rounded-md px-2 text-sm text-faint hover:bg-hover hover:text-ink"
        >
          {projects.length === 0
            ? t("projects:sidebar.none")
            : t("projects:sidebar.all", { count: projects.length })}
        </Link>
      )}
    </SidebarGroup>
  )
}

/** The project of the chat on screen. */
function useProjectHere(): string | undefined {
  const [, params] = useRoute<{ chatId: string }>("/inter/chat/:chatId")
  const chatId = params?.chatId ?? ""
  const { data } = useConversation(chatId, undefined, chatId !== "")
  return data?.projectId ?? undefined
}

interface ProjectEntryProps {
  project: Project
  open: boolean
  onOpen: (open: boolean) => void
}

function ProjectEntry({ project, open, onOpen }: ProjectEntryProps) {
  const { id, name } = project
  const label = t("projects:sidebar.chatsOf", { name })
  return (
    <>
      <SidebarLink
        href={routes.project(id)}
        title={name}
        icon={null}
        start={
          <button
            type="button"
            aria-label={label}
            title={label}
            aria-expanded={open}
            onClick={() => onOpen(!open)}
            className="ml-1 inline-flex size-6 shrink-0 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
          >
            <ChevronRight
              className={classNames("size-3.5 transition-transform", open && "rotate-90")}
              aria-hidden
            />
          </button>
        }
        action={<ProjectMenu project={project} />}
      >
        {name}
      </SidebarLink>
      {open && <ProjectChatList id={id} label={label} />}
    </>
  )
}

function ProjectChatList({ id, label }: { id: string; label: string }) {
  const { data } = useProjectChats(id)
  const leaving = chatDeletions.useLeaving()
  const [first] = data?.pages ?? []
  if (!first) return null
  const chats = first.chats.filter((chat) => !leaving.has(chat.id))
  return (
    <ul aria-label={label} className="ml-8">
      {chats.slice(0, shownChats).map((chat) => (
        <li key={chat.id}>
          <ConversationRow chat={chat} />
        </li>
      ))}
      {(chats.length === 0 || first.pagination.total > shownChats) && (
        <li>
          <Link
            href={chats.length === 0 ? routes.newChatInProject(id) : routes.project(id)}
            className="flex h-8 items-center rounded-md px-2 text-sm text-faint hover:bg-hover hover:text-ink"
          >
            {chats.length === 0
              ? t("projects:newChat")
              : t("projects:sidebar.allChats", { count: first.pagination.total })}
          </Link>
        </li>
      )}
    </ul>
  )
}
