import { t } from "i18next"
import type { ReactNode } from "react"
import { Button } from "../../ui/controls/Button.tsx"
import { Dialog, DialogActions } from "../../ui/layers/Dialog.tsx"
import { CommandLine } from "../../ui/text/CommandLine.tsx"

interface HookDialogProps {
  hook: { url: string }
  onClose: () => void
}

/** Shows a webhook's URL, which is shown only this once. */
export function HookDialog({ hook: { url }, onClose }: HookDialogProps) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("automations:hook.title")}
      description={t("automations:hook.text")}
    >
      <div className="flex flex-col gap-3">
        <Labelled label={t("automations:hook.address")}>
          <CommandLine command={url} kind="address" />
        </Labelled>
        <Labelled label={t("automations:hook.command")}>
          <CommandLine command={`curl --data "…" ${url}`} />
        </Labelled>
      </div>
      <DialogActions>
        <Button variant="primary" onClick={onClose}>
          {t("automations:hook.done")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <p className="mb-1.5 text-sm font-medium">{label}</p>
      {children}
    </div>
  )
}
