import { Pencil, Trash2 } from "lucide-react"
import { useState, type ReactNode } from "react"
import { useLocation } from "wouter"
import { useDeleteConversation } from "../../data/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/routes.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { Menu, MenuItem } from "../../ui/Menu.tsx"
import { RowMenu } from "../../ui/RowMenu.tsx"
import { showToast } from "../../ui/toasts.ts"
import { RenameDialog } from "./RenameDialog.tsx"

interface ConversationMenuProps {
  chatId: string
  title: string
  className?: string
}

/** Rename and delete. */
export function ConversationMenu({ chatId, title, className }: ConversationMenuProps) {
  return (
    <RowMenu
      label="Actions on this chat"
      {...(className === undefined ? {} : { className })}
      renderMenu={(trigger) => <ConversationActions chatId={chatId} title={title} trigger={trigger} />}
    />
  )
}

interface ConversationActionsProps {
  chatId: string
  title: string
  trigger: ReactNode
}

function ConversationActions({ chatId, title, trigger }: ConversationActionsProps) {
  const [open, setOpen] = useState<"rename" | "delete">()
  const [location, navigate] = useLocation()
  const remove = useDeleteConversation()
  const close = () => setOpen(undefined)

  return (
    <>
      <Menu defaultOpen trigger={trigger}>
        <MenuItem onSelect={() => setOpen("rename")}>
          <Pencil aria-hidden /> Rename
        </MenuItem>
        <MenuItem danger onSelect={() => setOpen("delete")}>
          <Trash2 aria-hidden /> Delete
        </MenuItem>
      </Menu>
      {open === "rename" && <RenameDialog chatId={chatId} title={title} onClose={close} />}
      <ConfirmDialog
        open={open === "delete"}
        onClose={close}
        title={`Delete “${title}”?`}
        description="The conversation and all its messages are removed. The documents it cites stay."
        confirmLabel="Delete"
        onConfirm={() => {
          remove.mutate(chatId, {
            onSuccess: () => {
              if (location === routes.chat(chatId)) navigate(routes.newChat)
            },
            onError: (error) => showToast(describeError(error), "error"),
          })
        }}
      />
    </>
  )
}
