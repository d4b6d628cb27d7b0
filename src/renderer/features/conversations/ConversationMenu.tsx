import { Ellipsis, Pencil, Trash2 } from "lucide-react"
import { useState } from "react"
import { useLocation } from "wouter"
import { useDeleteConversation } from "../../data/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/routes.ts"
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { Menu, MenuItem } from "../../ui/Menu.tsx"
import { showToast } from "../../ui/toasts.ts"
import { RenameDialog } from "./RenameDialog.tsx"

interface ConversationMenuProps {
  chatId: string
  title: string
  className?: string
}

/** Rename and delete. */
export function ConversationMenu({ chatId, title, className }: ConversationMenuProps) {
  const [open, setOpen] = useState<"rename" | "delete">()
  const [location, navigate] = useLocation()
  const remove = useDeleteConversation()
  const close = () => setOpen(undefined)

  return (
    <>
      <Menu
        trigger={
          <IconButton label="Actions on this chat" {...(className === undefined ? {} : { className })}>
            <Ellipsis aria-hidden />
          </IconButton>
        }
      >
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
