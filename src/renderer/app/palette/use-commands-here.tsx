import { t } from "i18next"
import { Download, Layers, Pencil, Pin, PinOff, SquarePen, Trash2 } from "lucide-react"
import { useLocation, useRoute } from "wouter"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { useConversation, useUpdateConversation } from "../../data/chats/conversations.ts"
import { exportChats } from "../../features/conversations/export-chat.ts"
import { describeError } from "../../lib/box.ts"
import { useFolderHere } from "../../lib/navigation/open-document.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { showToast } from "../../lib/toasts.ts"
import type { Command } from "./command.ts"
import type { FrameActions } from "./use-static-commands.tsx"

/** Commands for the chat or folder on screen. */
export function useCommandsHere(openDialog: FrameActions["onOpenChatDialog"]): Command[] {
  const [, navigate] = useLocation()
  const [, params] = useRoute<{ chatId: string }>("/inter/chat/:chatId")
  const chatId = params?.chatId ?? ""
  const folderId = useFolderHere()
  const { data: chat } = useConversation(chatId, undefined, chatId !== "")
  const update = useUpdateConversation(chatId)
  const onError = (error: unknown) => showToast(describeError(error), "error")
  const here = (
    id: string,
    name: string,
    words: string,
    icon: Command["icon"],
    run: () => void,
  ): Command => ({
    id: `here ${id}`,
    group: "here",
    name,
    words,
    icon,
    run,
  })
  if (folderId !== undefined) {
    const ask = () => navigate(routes.newChatIn(folderId))
    return [here("ask", t("search:askHere"), t("search:words.newChat"), <SquarePen aria-hidden />, ask)]
  }
  if (!chat) return []
  const Icon = chat.pinned ? PinOff : Pin
  return [
    here("export", t("search:exportChat"), t("search:words.export"), <Download aria-hidden />, () => {
      exportChats([chatId]).catch(onError)
    }),
    here(
      "pin",
      t(chat.pinned ? "search:unpinChat" : "search:pinChat"),
      t("search:words.pin"),
      <Icon aria-hidden />,
      () => update.mutate({ pinned: !chat.pinned }, { onError }),
    ),
    here("rename", t("search:renameChat"), t("search:words.rename"), <Pencil aria-hidden />, () =>
      openDialog({ what: "rename", chat }),
    ),
    here("move", t("search:moveChat"), t("search:words.move"), <Layers aria-hidden />, () =>
      openDialog({ what: "move", chat }),
    ),
    here("delete", t("search:deleteChat"), t("search:words.delete"), <Trash2 aria-hidden />, () => {
      void chatDeletions.remove({ id: chatId, title: chat.title })
    }),
  ]
}
