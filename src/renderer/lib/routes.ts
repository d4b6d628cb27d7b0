/** Addresses of the app's screens (interface.md 4.8). */
export const routes = {
  newChat: "/",
  newChatIn: (folderId: string) => `/?folder=${encodeURIComponent(folderId)}`,
  chat: (chatId: string, branch?: string) =>
    `/inter/chat/${encodeURIComponent(chatId)}${branch === undefined ? "" : `?branch=${encodeURIComponent(branch)}`}`,
  folders: "/dc",
  newFolder: "/dc?new",
  folder: (folderId: string) => `/dc/vector/${encodeURIComponent(folderId)}`,
  settings: "/settings",
  models: "/settings/models",
  keys: "/settings/keys",
  appearance: "/settings/appearance",
  notificationSettings: "/settings/notifications",
}
