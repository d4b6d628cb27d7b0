import { Suspense } from "react"
import type { ConfirmDialogProps } from "./ConfirmPanel.tsx"
import { later } from "../../lib/later.ts"

const ConfirmPanel = later(async () => (await import("./ConfirmPanel.tsx")).ConfirmPanel)

/** Asks before an action that can't be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  if (!props.open) return null
  return (
    <Suspense>
      <ConfirmPanel {...props} />
    </Suspense>
  )
}
