/**
 * Addresses inside the app that more than the page names. Ids may hold any character: each is encoded once, here, and
 * decoded once, where a screen reads it (`renderer/lib/places/hash-location.ts`).
 */
export const chatRoute = (chatId: string) => `/inter/chat/${encodeURIComponent(chatId)}`
export const folderRoute = (folderId: string) => `/dc/vector/${encodeURIComponent(folderId)}`
/** A folder's files that failed, with what can be done about each. */
export const failedFilesRoute = (folderId: string) => `${folderRoute(folderId)}?tab=files&status=failed`

/** Where the page asks what it shows first. */
export const firstScreenPath = "/api/public/first-screen"

/** Screen of the page that exchanges a one-time link's token for a session. */
export const signInRoute = "/signin"

/** Screen of the page that asks whether an answer of a provider's is to be linked. */
export const finishLinkRoute = "/finish-link"
