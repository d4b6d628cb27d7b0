import { t } from "i18next"
import { Suspense, type ReactNode } from "react"
import { later } from "../../lib/later.ts"
import { useLeaveGuard } from "../../lib/navigation/leave-guard.ts"
import type { ConfirmDialogProps, DialogProps } from "./DialogPanel.tsx"

const DialogPanel = later(async () => (await import("./DialogPanel.tsx")).DialogPanel)

/** A modal window. Esc and a click outside close it. */
export function Dialog(props: DialogProps) {
  if (!props.open) return null
  return (
    <Suspense>
      <DialogPanel {...props} />
    </Suspense>
  )
}

/** The row of buttons at the end of a dialog. It stays visible when the dialog scrolls. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className="sticky -bottom-5 z-10 -mx-5 mt-4 -mb-5 flex flex-wrap justify-end gap-2 rounded-b-xl bg-raised px-5 pt-1 pb-5 before:pointer-events-none before:absolute before:inset-x-0 before:bottom-full before:h-4 before:bg-linear-to-t before:from-raised before:to-transparent">
      {children}
    </div>
  )
}

const ConfirmPanel = later(async () => (await import("./DialogPanel.tsx")).ConfirmPanel)

/** Asks before an action that can't be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  if (!props.open) return null
  return (
    <Suspense>
      <ConfirmPanel {...props} />
    </Suspense>
  )
}

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
