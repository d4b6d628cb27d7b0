import { t } from "i18next"
import { Bot, Layers } from "lucide-react"
import { useAssistants } from "../../data/assistants.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { usePinnedConversations } from "../../data/chats/conversations.ts"
import { useFolders } from "../../data/folders/folders.ts"
import { useProjects } from "../../data/projects.ts"
import { usePins } from "../../data/settings.ts"
import { ConversationRow } from "../../features/conversations/ConversationRow.tsx"
import { routes } from "../../lib/navigation/routes.ts"
import { FolderLink, PinButton } from "./SidebarFolders.tsx"
import { SidebarGroup, SidebarLink } from "./SidebarLink.tsx"

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
