import { Folder, PanelLeft, Plus, Search, Settings, SquarePen } from "lucide-react"
import { useState, type ReactNode } from "react"
import { Link, useLocation } from "wouter"
import { useFolders } from "../data/folders.ts"
import { ConversationList } from "../features/conversations/ConversationList.tsx"
import { Bell } from "../features/notifications/Bell.tsx"
import { useDebounced } from "../lib/debounced.ts"
import { routes } from "../lib/routes.ts"
import { shortcutName } from "../lib/shortcut.ts"
import { classNames } from "../ui/class-names.ts"
import { IconButton } from "../ui/IconButton.tsx"
import { SearchField } from "../ui/SearchField.tsx"
import { ModelStatus } from "./ModelStatus.tsx"

const shownFolders = 6

interface SidebarProps {
  onOpenPalette: () => void
  onCollapse: () => void
}

export function Sidebar({ onOpenPalette, onCollapse }: SidebarProps) {
  const [search, setSearch] = useState("")
  const settled = useDebounced(search.trim())
  return (
    <nav aria-label="Casella" className="flex w-60 shrink-0 flex-col border-r border-line bg-sidebar">
      <div className="flex h-12 shrink-0 items-center gap-1 pr-2.5 pl-4">
        <img src="/casella.svg" alt="" className="size-5" />
        <span className="ml-1.5 flex-1 font-semibold tracking-tight">Casella</span>
        <Bell />
        <IconButton label="Go to anything" keys={shortcutName("K")} onClick={onOpenPalette}>
          <Search aria-hidden />
        </IconButton>
        <IconButton label="Hide the sidebar" keys={shortcutName("B")} onClick={onCollapse}>
          <PanelLeft aria-hidden />
        </IconButton>
      </div>
      <div className="px-2">
        <SidebarLink
          href={routes.newChat}
          icon={<SquarePen aria-hidden />}
          title={`New chat (${shortcutName("J")})`}
        >
          New chat
        </SidebarLink>
      </div>
      <Folders />
      <div className="flex items-center px-2 pt-4 pb-1">
        <h2 className="px-2 text-xs font-medium text-faint">Chats</h2>
      </div>
      <SearchField label="Search chats" value={search} onChange={setSearch} className="mx-2 mb-1" />
      <ConversationList search={settled} />
      <div className="flex items-center gap-1 border-t border-line p-2">
        <ModelStatus />
        <Link
          href={routes.settings}
          aria-label="Settings"
          title="Settings"
          className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
        >
          <Settings className="size-4" aria-hidden />
        </Link>
      </div>
    </nav>
  )
}

function Folders() {
  const { data: folders = [] } = useFolders()
  return (
    <div className="px-2 pt-4">
      <div className="flex items-center pb-1">
        <Link
          href={routes.folders}
          className="flex-1 rounded px-2 text-xs font-medium text-faint hover:text-ink"
        >
          Folders
        </Link>
        <Link
          href={routes.newFolder}
          aria-label="New folder"
          title="New folder"
          className="mr-0.5 inline-flex size-6 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
        >
          <Plus className="size-4" aria-hidden />
        </Link>
      </div>
      {folders.slice(0, shownFolders).map((folder) => (
        <SidebarLink
          key={folder.id}
          href={routes.folder(folder.id)}
          icon={<Folder aria-hidden />}
          title={folder.name}
        >
          {folder.name}
          {folder.pendingCount > 0 && <span className="sr-only"> (being indexed)</span>}
        </SidebarLink>
      ))}
      {folders.length > shownFolders && (
        <Link
          href={routes.folders}
          className="flex h-8 items-center rounded-md px-2 text-sm text-faint hover:bg-hover hover:text-ink"
        >
          All {folders.length} folders
        </Link>
      )}
    </div>
  )
}

interface SidebarLinkProps {
  href: string
  icon: ReactNode
  title?: string
  children: ReactNode
}

function SidebarLink({ href, icon, title, children }: SidebarLinkProps) {
  const [location] = useLocation()
  const active = location === href
  return (
    <Link
      href={href}
      title={title}
      aria-current={active ? "page" : undefined}
      className={classNames(
        "flex h-8 items-center gap-2 rounded-md px-2 text-sm transition-colors [&_svg]:size-4 [&_svg]:shrink-0",
        active ? "bg-selected text-ink" : "text-soft hover:bg-hover hover:text-ink",
      )}
    >
      {icon}
      <span className="min-w-0 truncate">{children}</span>
    </Link>
  )
}
