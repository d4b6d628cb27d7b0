import type { HoverGlanceProps } from "./HoverGlanceCard.tsx"
import { controlCode } from "../../lib/later.ts"

const card = controlCode(() => import("./HoverGlanceCard.tsx"))

/** Preloads the card, because a pointer that is already on the button when the card loads wouldn't be noticed. */
export const fetchGlances = card.fetch

/** A button that previews what it opens while it is hovered or focused. */
export function HoverGlance(props: HoverGlanceProps) {
  const { onOpen, children } = props
  const code = card.use()
  return code ? <code.HoverGlanceCard {...props} /> : children({ onClick: onOpen })
}
