import type { ReactNode } from "react"
import { useGiveUp } from "../../lib/keys/shortcut.ts"

interface WaitingButtonProps {
  /** Whether its menu or panel was asked for. */
  asked: boolean
  onGiveUp: () => void
  children: ReactNode
}

/** A button whose menu or panel is still fetched; Esc gives that up. */
export function WaitingButton({ asked, onGiveUp, children }: WaitingButtonProps) {
  useGiveUp(asked, onGiveUp)
  return children
}
