import { t } from "i18next"
import { Download, Pencil, Pin, PinOff, Trash2 } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import type { ConversationSummary } from "../../../shared/contract/conversations.ts"
import { useUpdateConversation } from "../../data/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/places/routes.ts"
import { Menu, MenuItem, type MenuTrigger } from "../../ui/layers/Menu.tsx"
import { RowMenu } from "../../ui/layers/RowMenu.tsx"
import { showToast } from "../../lib/toasts.ts"
import { chatDeletions } from "../../data/chat-deletions.ts"
import { exportChat } from "./export-chat.ts"
import { RenameDialog } from "./RenameDialog.tsx"

type Chat = Pick<ConversationSummary, "id" | "title" | "pinned">

interface ConversationMenuProps {
  chat: Chat
  /** It is one of several, which have to be told apart. */
  listed?: boolean
  className?: string
}

/** Pin, rename, export and delete. */
export function ConversationMenu({ chat, listed = false, className }: ConversationMenuProps) {
  return (
    <RowMenu
      label={listed ? t("conversations:actionsOn", { title: chat.title }) : t("conversations:actions")}
      {...(className === undefined ? {} : { className })}
      renderMenu={(trigger) => <ConversationActions chat={chat} trigger={trigger} />}
    />
  )
}

function ConversationActions({ chat, trigger }: { chat: Chat; trigger: MenuTrigger }) {
  const { id, title, pinned } = chat
  const [renaming, setRenaming] = useState(false)
  const [location, navigate] = useLocation()
  const update = useUpdateConversation(id)
  const onError = (error: unknown) => showToast(describeError(error), "error")

  function remove() {
    const wasShown = location === routes.chat(id)
    if (wasShown) navigate(routes.newChat)
    void chatDeletions.remove({ id, title, wasShown })
  }

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
        <MenuItem onSelect={() => void exportChat(id).catch(onError)}>
          <Download aria-hidden /> {t("conversations:export.action")}
        </MenuItem>
        <MenuItem danger onSelect={remove}>
          <Trash2 aria-hidden /> {t("conversations:delete")}
        </MenuItem>
      </Menu>
      {renaming && <RenameDialog chatId={id} title={title} onClose={() => setRenaming(false)} />}
    </>
  )
}
