import { t } from "i18next"
import { useLocation } from "wouter"
import type { Automation } from "../../../shared/contract/automations.ts"
import { removeAutomation } from "../../data/automations.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { ConfirmDialog } from "../../ui/layers/Dialog.tsx"
import { showFailure } from "./run-now.ts"

interface DeleteDialogProps {
  automation: Automation
  open: boolean
  onClose: () => void
}

/** Asks before an automation is deleted, and then leaves its screen. */
export function DeleteDialog({ automation: { id, name }, open, onClose }: DeleteDialogProps) {
  const [location, navigate] = useLocation()
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      onConfirm={() => {
        if (location !== routes.work) navigate(routes.work)
        removeAutomation(id).catch(showFailure)
      }}
      title={t("automations:deleteTitle", { name })}
      description={t("automations:deleteText")}
      confirmLabel={t("automations:delete")}
    />
  )
}
