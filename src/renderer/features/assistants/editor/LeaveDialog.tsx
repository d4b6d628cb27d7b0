import { t } from "i18next"
import { Button } from "../../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"

interface LeaveDialogProps {
  open: boolean
  name: string
  saving: boolean
  onStay: () => void
  /** Keeps the changes in the browser. */
  onKeep: () => void
  onDiscard: () => void
  onSave: () => void
}

/** Asks what to do with unsaved changes when the editor is left. */
export function LeaveDialog({ open, name, saving, onStay, onKeep, onDiscard, onSave }: LeaveDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onStay}
      title={t("assistants:leave.title")}
      description={name === "" ? t("assistants:leave.textNew") : t("assistants:leave.text", { name })}
    >
      <DialogActions>
        <Button variant="danger" onClick={onDiscard} className="mr-auto">
          {t("assistants:leave.discard")}
        </Button>
        <Button onClick={onKeep}>{t("assistants:leave.keep")}</Button>
        <Button variant="primary" busy={saving} onClick={onSave}>
          {t("assistants:save")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
