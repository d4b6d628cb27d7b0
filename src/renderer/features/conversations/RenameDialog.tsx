import { t } from "i18next"
import { useState } from "react"
import { useUpdateConversation } from "../../data/chats/conversations.ts"
import { describeError } from "../../lib/box.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { TextField } from "../../ui/controls/Field.tsx"

interface RenameDialogProps {
  chatId: string
  title: string
  onClose: () => void
}

export function RenameDialog({ chatId, title, onClose }: RenameDialogProps) {
  const [text, setText] = useState(title)
  const rename = useUpdateConversation(chatId)
  return (
    <Dialog open onClose={onClose} title={t("conversations:rename.title")}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate({ title: text.trim() }, { onSuccess: onClose })
        }}
      >
        <TextField
          label={t("conversations:rename.field")}
          value={text}
          maxLength={300}
          onChange={(event) => setText(event.target.value)}
          error={rename.error ? describeError(rename.error) : undefined}
        />
        <DialogActions>
          <Button onClick={onClose}>{t("conversations:cancel")}</Button>
          <Button type="submit" variant="primary" busy={rename.isPending} disabled={text.trim() === ""}>
            {t("conversations:rename.action")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
