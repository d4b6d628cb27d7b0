import { t } from "i18next"
import { Pin, PinOff, CircleAlert, LoaderCircle, Unplug, Plus, Bot, Layers } from "lucide-react"
import type { ReactNode } from "react"
import { Link } from "wouter"
import type { Pin as Pinned } from "../../../shared/contract/settings.ts"
import { useAssistants } from "../../data/assistants.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { usePinnedConversations } from "../../data/chats/conversations.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { useProjects } from "../../data/projects.ts"
import { usePin, usePins } from "../../data/settings.ts"
import { ConversationRow } from "../../features/conversations/ConversationRow.tsx"
import { routes } from "../../lib/navigation/routes.ts"
import { FolderIcon } from "../../ui/pictures/FolderIcon.tsx"
import { SidebarLink, SidebarGroup } from "./SidebarLink.tsx"

/** Pins or unpins a folder, project or assistant. Visible on hover and on keyboard focus. */
function PinButton({ kind, id, name }: Pinned & { name: string }) {
  const [pinned, toggle] = usePin({ kind, id })
  const label = t(pinned ? "frame:unpinNamed" : "frame:pinNamed", { name })
  const Icon = pinned ? PinOff : Pin
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={toggle}
      className="mr-0.5 inline-flex h-7 w-0 shrink-0 items-center justify-center overflow-hidden rounded-md text-faint opacity-0 group-focus-within/link:w-7 group-focus-within/link:opacity-100 group-hover/link:w-7 group-hover/link:opacity-100 hover:bg-hover hover:text-ink no-hover:w-7 no-hover:opacity-100"
    >
      <Icon className="size-3.5" aria-hidden />
    </button>
  )
}

type Folder = NonNullable<ReturnType<typeof useFolders>["data"]>[number]

/** A link to a folder with the state of its files: missing, some failed, or being read. */
function FolderLink({ folder }: { folder: Folder }) {
  return (
    <SidebarLink
      href={routes.folder(folder.id)}
      icon={<FolderIcon folder={folder} />}
      title={folder.name}
      end={<FolderMark folder={folder} />}
      action={<PinButton kind="folder" id={folder.id} name={folder.name} />}
    >
      {folder.name}
    </SidebarLink>
  )
}

function FolderMark({ folder: { missing, failedCount, pendingCount } }: { folder: Folder }) {
  if (missing)
    return <Mark icon={<Unplug className="text-warning" aria-hidden />} text={t("frame:folderMissing")} />
  if (failedCount > 0) {
    const text = t("frame:folderFailed", { count: failedCount })
    return <Mark icon={<CircleAlert className="text-danger" aria-hidden />} text={text} />
  }
  if (pendingCount > 0) {
    const icon = <LoaderCircle className="animate-spin text-faint" aria-hidden />
    return <Mark icon={icon} text={t("frame:folderPending")} />
  }
  return null
}

const Mark = ({ icon, text }: { icon: ReactNode; text: string }) => (
  <span title={text} className="ml-auto inline-flex shrink-0 [&_svg]:size-3.5">
    {icon}
    <span className="sr-only">{text}</span>
  </span>
)

const shownFolders = 6

/** The first folders, with a link to all of them. */
export function SidebarFolders() {
  const { data: folders = [] } = useFolders()
  return (
    <SidebarGroup
      name="folders"
      title={t("frame:folders")}
      initiallyOpen
      action={
        <Link
          href={routes.newFolder}
          aria-label={t("frame:newFolder")}
          title={t("frame:newFolder")}
          className="mr-0.5 inline-flex size-6 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
        >
          <Plus className="size-4" aria-hidden />
        </Link>
      }
    >
      {folders.slice(0, shownFolders).map((folder) => (
        <FolderLink key={folder.id} folder={folder} />
      ))}
      <Link
        href={routes.folders}
        className="flex h-8 items-center rounded-md px-2 text-sm text-faint hover:bg-hover hover:text-ink"
      >
        {folders.length > shownFolders
          ? t("frame:allFoldersCount", { count: folders.length })
          : t("frame:allFolders")}
      </Link>
    </SidebarGroup>
  )
}

/** Pinned chats that aren't being deleted. */
function usePinnedChats() {
  const { data } = usePinnedConversations()
  const leaving = chatDeletions.useLeaving()
  return (data?.chats ?? []).filter(({ id }) => !leaving.has(id))
}

/** Pinned chats, folders, projects and assistants. Renders nothing if there are none. */
export function SidebarPinned() {
  const pins = usePins()
  const { data: folders = [] } = useFolders()
  const { data: assistants = [] } = useAssistants()
  const { data: projects = [] } = useProjects()
  const chats = usePinnedChats()
  const others = pins.flatMap(({ kind, id }) => {
    if (kind === "folder") {
      const folder = folders.find((one) => one.id === id)
      return folder ? [<FolderLink key={id} folder={folder} />] : []
    }
    if (kind === "project") {
      const project = projects.find((one) => one.id === id)
      if (!project) return []
      return [
        <SidebarLink
          key={id}
          href={routes.project(id)}
          icon={<Layers aria-hidden />}
          title={project.name}
          action={<PinButton kind="project" id={id} name={project.name} />}
        >
          {project.name}
        </SidebarLink>,
      ]
    }
    const assistant = assistants.find((one) => one.id === id)
    if (!assistant) return []
    return [
      <SidebarLink
        key={id}
        href={routes.newChatWith(id)}
        icon={<Bot aria-hidden />}
        title={assistant.name}
        action={<PinButton kind="assistant" id={id} name={assistant.name} />}
      >
        {assistant.name}
      </SidebarLink>,
    ]
  })
  if (chats.length === 0 && others.length === 0) return null
  return (
    <SidebarGroup name="pinned" title={t("conversations:pinned")} initiallyOpen>
      {chats.map((chat) => (
        <ConversationRow key={chat.id} chat={chat} />
      ))}
      {others}
    </SidebarGroup>
  )
}
