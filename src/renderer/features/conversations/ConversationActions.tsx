import { t } from "i18next"
import { CalendarClock, Download, Layers, Pencil, Pin, PinOff, Trash2, Undo2 } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { useUpdateConversation } from "../../data/chats/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { Menu, MenuItem, type MenuTrigger } from "../../ui/layers/Menu.tsx"
import { showToast } from "../../lib/toasts.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { exportChats } from "./export-chat.ts"
import { MoveDialog } from "./MoveDialog.tsx"
import { RenameDialog } from "./RenameDialog.tsx"

/** The fields of a chat that its menu needs. */
export type MenuChat = Pick<ConversationSummary, "id" | "title" | "pinned" | "projectId">

/** Pin, rename, move, export and delete. */
export function ConversationActions({ chat, trigger }: { chat: MenuChat; trigger: MenuTrigger }) {
  const { id, title, pinned, projectId } = chat
  const [renaming, setRenaming] = useState(false)
  const [moving, setMoving] = useState(false)
  const [, navigate] = useLocation()
  const update = useUpdateConversation(id)
  const onError = (error: unknown) => showToast(describeError(error), "error")

  return (
    <>
      <Menu defaultOpen trigger={trigger}>
        <MenuItem onSelect={() => update.mutate({ pinned: !pinned }, { onError })}>
          {pinned ? <PinOff aria-hidden /> : <Pin aria-hidden />}
          {pinned ? t("conversations:unpin") : t("conversations:pin")}
        </MenuItem>
        <MenuItem onSelect={() => setRenaming(true)}>
          <Pencil aria-hidden /> {t("conversations:rename.action")}
        </MenuItem>
        <MenuItem onSelect={() => setMoving(true)}>
          <Layers aria-hidden /> {t("conversations:move")}
        </MenuItem>
        {projectId !== null && (
          <MenuItem onSelect={() => update.mutate({ projectId: null }, { onError })}>
            <Undo2 aria-hidden /> {t("conversations:takeOut")}
          </MenuItem>
        )}
        <MenuItem onSelect={() => navigate(workRoutes.newWith("chat", id))}>
          <CalendarClock aria-hidden /> {t("automations:fromChat")}
        </MenuItem>
        <MenuItem onSelect={() => void exportChats([id]).catch(onError)}>
          <Download aria-hidden /> {t("conversations:export.action")}
        </MenuItem>
        <MenuItem danger onSelect={() => void chatDeletions.remove({ id, title })}>
          <Trash2 aria-hidden /> {t("conversations:delete")}
        </MenuItem>
      </Menu>
      {renaming && <RenameDialog chatId={id} title={title} onClose={() => setRenaming(false)} />}
      {moving && <MoveDialog chats={[chat]} onClose={() => setMoving(false)} />}
    </>
  )
}
