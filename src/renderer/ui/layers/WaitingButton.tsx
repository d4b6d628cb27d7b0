import type { ReactNode } from "react"
import { useCancelLoading } from "../../lib/keys/shortcut.ts"

interface WaitingButtonProps {
  /** Whether its menu or panel has been requested. */
  asked: boolean
  onCancel: () => void
  children: ReactNode
}

/** A button whose menu or panel is still loading. Esc cancels the request. */
export function WaitingButton({ asked, onCancel, children }: WaitingButtonProps) {
  useCancelLoading(asked, onCancel)
  return children
}
