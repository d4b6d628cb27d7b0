import { t } from "i18next"
import { deleteConversation } from "./conversations.ts"
import { navigate } from "../lib/places/hash-location.ts"
import { routes } from "../lib/places/routes.ts"
import { createDeletions } from "../lib/undoable-deletions.ts"

/** Conversations on their way out. */
export const chatDeletions = createDeletions<{ id: string; title: string; wasShown?: boolean }>({
  key: "deleted-chats",
  tell: (chats) => ({
    text: t("conversations:deleted", { count: chats.length }),
    detail: chats.at(-1)?.title ?? "",
  }),
  remove: ({ id }) => deleteConversation(id),
  restored(chats) {
    const shown = chats.findLast(({ wasShown }) => wasShown)
    if (shown) navigate(routes.chat(shown.id))
  },
})

/** Shows a chat in no list until it is deleted, at the latest when the page is closed. */
export const hideChat = (id: string): void => chatDeletions.hide({ id, title: "" })

/** Deletes a hidden chat. */
export const deleteHidden = (id: string): Promise<void> => chatDeletions.deleteHidden(id)
