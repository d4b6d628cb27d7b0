import { lazy, Suspense } from "react"
import type { ConfirmDialogProps } from "./ConfirmPanel.tsx"

const ConfirmPanel = lazy(async () => ({ default: (await import("./ConfirmPanel.tsx")).ConfirmPanel }))

/** Asks before something that can't be taken back. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  if (!props.open) return null
  return (
    <Suspense>
      <ConfirmPanel {...props} />
    </Suspense>
  )
}
