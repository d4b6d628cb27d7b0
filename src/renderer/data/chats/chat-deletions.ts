import { t } from "i18next"
import { box } from "../../lib/box.ts"
import { createIdSet, createUndoable } from "../undoable.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { forgetConversation, refreshConversationList } from "./conversations.ts"

export const chatDeletions = createUndoable<{ id: string; title: string }>({
  key: "deleted-chats",
  describe: (chats) => ({
    text: t("conversations:deleted", { count: chats.length }),
    detail: chats.at(-1)?.title ?? "",
  }),
  remove: (...chats) => box.conversations.removeSeveral({ body: { ids: chats.map(({ id }) => id) } }),
  batchSize: 500,
  refresh(chats) {
    for (const { id } of chats) forgetConversation(id)
    return refreshConversationList()
  },
  screen: { of: routes.chat, instead: routes.newChat },
})

/** Trial chats: no list shows them, and they are deleted when they are closed, or at the latest with the page. */
const trials = createIdSet()
const open = new Set<string>()

export function startTrial(id: string): void {
  open.add(id)
  trials.add(id)
}

export async function endTrial(id: string): Promise<void> {
  if (!open.delete(id)) return
  await box.conversations.remove({ params: { id } }).catch(() => undefined) // the chat may never have been started
  forgetConversation(id)
  await refreshConversationList()
  trials.delete(id)
}

window.addEventListener("pagehide", () => {
  for (const id of open) void endTrial(id)
})

/** IDs of chats that no list shows. */
export const useTrials = trials.use
