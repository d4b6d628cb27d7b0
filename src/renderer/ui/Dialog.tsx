import { lazy, Suspense, type ReactNode } from "react"
import type { DialogProps } from "./DialogPanel.tsx"

const DialogPanel = lazy(async () => ({ default: (await import("./DialogPanel.tsx")).DialogPanel }))

/** A modal window. Esc and a click outside close it. */
export function Dialog(props: DialogProps) {
  if (!props.open) return null
  return (
    <Suspense>
      <DialogPanel {...props} />
    </Suspense>
  )
}

/** The row of buttons that ends a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-5 flex justify-end gap-2">{children}</div>
}
