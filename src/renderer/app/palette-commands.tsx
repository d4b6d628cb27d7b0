import { keepPreviousData, useQuery } from "@tanstack/react-query"
import {
  Folder,
  FolderPlus,
  KeyRound,
  MessageSquare,
  Monitor,
  Moon,
  Settings,
  SquarePen,
  Sun,
} from "lucide-react"
import type { ReactNode } from "react"
import { useLocation } from "wouter"
import { useFolders } from "../data/folders.ts"
import { box } from "../lib/box.ts"
import { useDebounced } from "../lib/debounced.ts"
import { routes } from "../lib/routes.ts"
import { useTheme } from "../lib/theme.ts"

export interface Command {
  id: string
  name: string
  kind: "Action" | "Folder" | "Chat"
  icon: ReactNode
  run: () => void
}

const shownChats = 8

/** What the palette offers for a search, best first. */
export function usePaletteCommands(search: string): Command[] {
  const [, navigate] = useLocation()
  const [, setTheme] = useTheme()
  const { data: folders = [] } = useFolders()
  const { data: chats = [] } = useFoundChats(search)

  const go = (to: string) => () => navigate(to)
  const action = (name: string, icon: ReactNode, run: () => void): Command => ({
    id: name.replaceAll(" ", "-"),
    name,
    kind: "Action",
    icon,
    run,
  })
  const commands: Command[] = [
    action("New chat", <SquarePen aria-hidden />, go(routes.newChat)),
    action("New folder", <FolderPlus aria-hidden />, go(routes.newFolder)),
    ...folders.map(({ id, name }): Command => ({
      id,
      name,
      kind: "Folder",
      icon: <Folder aria-hidden />,
      run: go(routes.folder(id)),
    })),
    ...chats.map(({ id, title }): Command => ({
      id,
      name: title,
      kind: "Chat",
      icon: <MessageSquare aria-hidden />,
      run: go(routes.chat(id)),
    })),
    action("Settings", <Settings aria-hidden />, go(routes.settings)),
    action("API keys", <KeyRound aria-hidden />, go(routes.keys)),
    action("Light theme", <Sun aria-hidden />, () => setTheme("light")),
    action("Dark theme", <Moon aria-hidden />, () => setTheme("dark")),
    action("Theme as the system", <Monitor aria-hidden />, () => setTheme("system")),
  ]
  // Chats too: those shown while a search runs are still the ones of the search before.
  return commands.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
}

function useFoundChats(search: string) {
  const settled = useDebounced(search)
  return useQuery({
    queryKey: ["conversations", "palette", settled],
    queryFn: async ({ signal }) => {
      const query = { limit: shownChats, ...(settled === "" ? {} : { search: settled }) }
      return (await box.conversations.list({ query }, { signal })).chats
    },
    placeholderData: keepPreviousData,
  })
}
