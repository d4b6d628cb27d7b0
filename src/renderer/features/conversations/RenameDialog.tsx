import { useState } from "react"
import { useRenameConversation } from "../../data/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { TextField } from "../../ui/Field.tsx"

interface RenameDialogProps {
  chatId: string
  title: string
  onClose: () => void
}

export function RenameDialog({ chatId, title, onClose }: RenameDialogProps) {
  const [text, setText] = useState(title)
  const rename = useRenameConversation()
  return (
    <Dialog open onClose={onClose} title="Rename chat">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate({ chatId, title: text.trim() }, { onSuccess: onClose })
        }}
      >
        <TextField
          label="Title"
          value={text}
          maxLength={300}
          onChange={(event) => setText(event.target.value)}
          error={rename.error ? describeError(rename.error) : undefined}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={rename.isPending} disabled={text.trim() === ""}>
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
