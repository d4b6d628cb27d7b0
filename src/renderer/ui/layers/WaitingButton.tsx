import type { ReactNode } from "react"
import { useGiveUp } from "../../lib/keys/shortcut.ts"

interface WaitingButtonProps {
  /** Whether its menu or panel has been requested. */
  asked: boolean
  onGiveUp: () => void
  children: ReactNode
}

/** A button whose menu or panel is still loading. Esc cancels the request. */
export function WaitingButton({ asked, onGiveUp, children }: WaitingButtonProps) {
  useGiveUp(asked, onGiveUp)
  return children
}
