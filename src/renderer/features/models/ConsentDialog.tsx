import { t } from "i18next"
import type { Computer, OfferedModel } from "../../../shared/contract/models.ts"
import { useStartDownload } from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { ConsentFacts } from "./ConsentFacts.tsx"

interface ConsentDialogProps {
  model: OfferedModel
  computer: Computer
  onClose: () => void
}

/** Shows a download's requirements and source before anything is fetched. */
export function ConsentDialog({ model, computer, onClose }: ConsentDialogProps) {
  const start = useStartDownload()
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("models:consent.title", { name: model.name })}
      description={t("models:consent.description")}
    >
      <ConsentFacts model={model} computer={computer} />
      <p className="mt-3 text-xs text-faint">{t("models:consent.hint")}</p>
      {!computer.online && (
        <div className="mt-3">
          <Note kind="warning">{t("models:consent.offline")}</Note>
        </div>
      )}
      {start.error && (
        <div className="mt-3">
          <Note kind="error">{describeError(start.error)}</Note>
        </div>
      )}
      <DialogActions>
        <Button data-focus-first onClick={onClose}>
          {t("common:cancel")}
        </Button>
        <Button
          variant="primary"
          busy={start.isPending}
          disabled={!computer.online}
          onClick={() => start.mutate({ catalogueId: model.id }, { onSuccess: onClose })}
        >
          {t("models:catalogue.downloadSize", { size: formatSize(model.sizeBytes) })}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
