import type { FactKind } from "../../../shared/contract/facts.ts"
import { chatRoute, folderRoute } from "../../../shared/app-routes.ts"

export const folderTabs = ["files", "overview", "search", "tables"] as const
export type FolderTab = (typeof folderTabs)[number]

/** In the order of a folder's overview. */
export const factKinds = ["deadlines", "dates", "amounts"] as const satisfies FactKind[]

/** Routes of the app's pages. */
export const routes = {
  newChat: "/",
  /** The desktop app's small window. */
  quickAsk: "/quick-ask",
  newChatIn: (folderId: string) => `/?folder=${encodeURIComponent(folderId)}`,
  newChatAbout: (folderId: string, fileIds: readonly string[]) =>
    `/?${new URLSearchParams({ folder: folderId, files: fileIds.join(",") }).toString()}`,
  chat: (chatId: string, branch?: string) =>
    `${chatRoute(chatId)}${branch === undefined ? "" : `?branch=${encodeURIComponent(branch)}`}`,
  /** A chat at one of its messages. */
  chatMessage: (chatId: string, messageId: string, branch?: string) =>
    `${chatRoute(chatId)}?${new URLSearchParams({ ...(branch === undefined ? {} : { branch }), message: messageId }).toString()}`,
  newChatWith: (assistantId: string) => `/?assistant=${encodeURIComponent(assistantId)}`,
  folders: "/dc",
  newFolder: "/dc?new",
  folder: folderRoute,
  folderTab: (folderId: string, tab: FolderTab) => `${folderRoute(folderId)}?tab=${tab}`,
  /** A folder's overview, showing one kind of facts. */
  folderFacts: (folderId: string, kind: FactKind) => `${folderRoute(folderId)}?tab=overview&facts=${kind}`,
  file: (folderId: string, fileId: string) => `${folderRoute(folderId)}?file=${encodeURIComponent(fileId)}`,
  passage: (folderId: string, fileId: string, passageId: string) =>
    `${folderRoute(folderId)}?${new URLSearchParams({ file: fileId, passage: passageId }).toString()}`,
  assistants: "/assistants",
  newAssistant: "/assistants/new",
  newAssistantFrom: (template: string) => `/assistants/new?template=${template}`,
  assistant: (id: string) => `/assistants/${encodeURIComponent(id)}`,
  projects: "/projects",
  newProject: "/projects?new",
  project: (id: string) => `/projects/${encodeURIComponent(id)}`,
  newChatInProject: (id: string) => `/?project=${encodeURIComponent(id)}`,
  inbox: "/inbox",
  getInbox: (category: string) => `/inbox?category=${category}`,
  calendar: "/calendar",
  email: "/email",
  messages: "/messaggi",
  channel: (id: string) => `/messaggi?channel=${encodeURIComponent(id)}`,
  contacts: "/contacts",
  work: "/work",
  recordings: "/recordings",
  workbox: "/workbox",
  settings: "/settings",
  people: "/settings/people",
  network: "/settings/network",
  toolServers: "/settings/tool-servers",
  accounts: "/settings/integrations",
  memory: "/settings/memory",
  privacy: "/settings/privacy",
  storage: "/settings/storage",
  importChats: "/settings/import",
  trash: "/settings/trash",
  backup: "/settings/backup",
  support: "/settings/support",
  /** Opens the dialog for a support report. */
  newReport: "/settings/support?new",
  desktop: "/settings/desktop",
  about: "/settings/about",
  logs: "/settings/logs",
  audit: "/settings/audit",
  models: "/settings/models",
  installedModels: "/settings/models/installed",
  moreModels: "/settings/models/more",
  modelServers: "/settings/models/servers",
  webSearch: "/settings/web-search",
  keys: "/settings/keys",
  appearance: "/settings/appearance",
  notificationSettings: "/settings/notifications",
}
