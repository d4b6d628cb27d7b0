import { type MenuChat, MoveDialog, RenameDialog } from "./ConversationActions.tsx"

export interface WantedDialog {
  what: "rename" | "move"
  chat: MenuChat
}

/** A dialog of the chat's menu, for use outside that menu. */
export const ChatDialog = ({
  wanted: { what, chat },
  onClose,
}: {
  wanted: WantedDialog
  onClose: () => void
}) =>
  what === "rename" ? (
    <RenameDialog chatId={chat.id} title={chat.title} onClose={onClose} />
  ) : (
    <MoveDialog chats={[chat]} onClose={onClose} />
  )
