import { t } from "i18next"
import { useLeaveGuard } from "../../lib/navigation/leave-guard.ts"
import { ConfirmDialog } from "./ConfirmDialog.tsx"

/** Asks before the user leaves a page with unsaved input. */
export function LeaveQuestion({ unsaved }: { unsaved: boolean }) {
  const guard = useLeaveGuard(() => unsaved)
  return (
    <ConfirmDialog
      open={guard.asked}
      onClose={guard.stay}
      onConfirm={guard.leave}
      title={t("common:leave.title")}
      description={t("common:leave.text")}
      confirmLabel={t("common:leave.confirm")}
    />
  )
}
