/**
 * Routes in the app that are used outside the page as well. Ids may contain any character: they are encoded once, here, and decoded once,
 * where a page reads them (`renderer/lib/navigation/hash-location.ts`).
 */
export const chatRoute = (chatId: string) => `/inter/chat/${encodeURIComponent(chatId)}`
export const folderRoute = (folderId: string) => `/dc/vector/${encodeURIComponent(folderId)}`
/** A folder's failed files, with the fixes for each. */
export const failedFilesRoute = (folderId: string) => `${folderRoute(folderId)}?tab=files&status=failed`

/** Path of the request for the first page's data. */
export const firstScreenPath = "/api/public/first-screen"

/** Route of the page that exchanges a one-time link's token for a session. */
export const signInRoute = "/signin"

/** Route of the page that asks whether to accept a provider's response and connect the account. */
export const finishLinkRoute = "/finish-link"
