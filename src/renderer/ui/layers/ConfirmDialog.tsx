import { Suspense } from "react"
import type { ConfirmDialogProps } from "./ConfirmPanel.tsx"
import { later } from "../../lib/later.ts"

const ConfirmPanel = later(async () => (await import("./ConfirmPanel.tsx")).ConfirmPanel)

/** Asks before something that can't be taken back. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  if (!props.open) return null
  return (
    <Suspense>
      <ConfirmPanel {...props} />
    </Suspense>
  )
}
