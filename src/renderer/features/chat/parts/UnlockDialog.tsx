import { t } from "i18next"
import { useState } from "react"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { useUpdateFile } from "../../../data/folders/files.ts"
import { describeError } from "../../../lib/box.ts"
import { getReason } from "../../../lib/words/sentence.ts"
import { Button } from "../../../ui/controls/Button.tsx"
import { TextField } from "../../../ui/controls/Field.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"

interface UnlockDialogProps {
  folderId: string
  file: FileEntry
  onClose: () => void
}

/**
 * Asks for the password of a chat's file. The password is kept only in memory, and the file shows whether it was correct after it is read.
 */
export function UnlockDialog({ folderId, file, onClose }: UnlockDialogProps) {
  const [password, setPassword] = useState("")
  const update = useUpdateFile(folderId)
  return (
    <Dialog open onClose={onClose} title={t("chat:attach.unlockTitle", { name: file.name })}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ fileId: file.id, patch: { password } }, { onSuccess: onClose })
        }}
      >
        <TextField
          label={t("chat:attach.password")}
          type="password"
          autoComplete="off"
          data-focus-first
          value={password}
          maxLength={200}
          onChange={(event) => {
            setPassword(event.target.value)
            update.reset()
          }}
          hint={getReason(file) ?? undefined}
          error={update.error ? describeError(update.error) : undefined}
        />
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={update.isPending} disabled={password === ""}>
            {t("chat:attach.unlock")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
