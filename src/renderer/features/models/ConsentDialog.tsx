import type { Computer, OfferedModel } from "../../../shared/contract/model-files.ts"
import { useStartDownload } from "../../data/models.ts"
import { useSettings } from "../../data/settings.ts"
import { describeError } from "../../lib/box.ts"
import { formatSize } from "../../lib/format.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { Facts } from "../../ui/SettingsGroup.tsx"
import { describeFit } from "./wording.ts"

interface ConsentDialogProps {
  model: OfferedModel
  computer: Computer
  onClose: () => void
}

/** Says what a download takes and where it comes from, before anything is fetched. */
export function ConsentDialog({ model, computer, onClose }: ConsentDialogProps) {
  const start = useStartDownload()
  const { data: settings } = useSettings()
  const source = settings ? new URL(settings.modelMirror).host : "Hugging Face"
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Download ${model.name}?`}
      description="Once it is here, it works without the internet, and nothing you ask leaves this computer."
    >
      <Facts
        rows={[
          ["Download", formatSize(model.sizeBytes)],
          [
            "Disk",
            `${formatSize(computer.freeDiskBytes)} free, ${formatSize(Math.max(0, computer.freeDiskBytes - model.sizeBytes))} afterwards`,
          ],
          ["Memory", describeFit(model)],
          ["Licence", model.licence],
          ["From", `${source}/${model.repo}`],
        ]}
      />
      <p className="mt-3 text-xs text-faint">
        You can pause it at any time; speed and time left show while it runs.
      </p>
      {start.error && (
        <div className="mt-3">
          <Note kind="error">{describeError(start.error)}</Note>
        </div>
      )}
      <DialogActions>
        <Button data-focus-first onClick={onClose}>
          Cancel
        </Button>
        <Button
          variant="primary"
          busy={start.isPending}
          onClick={() => start.mutate({ catalogueId: model.id }, { onSuccess: onClose })}
        >
          Download {formatSize(model.sizeBytes)}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
