import { Suspense } from "react"
import type { HoverGlanceProps } from "./HoverGlanceCard.tsx"
import { later } from "../../lib/later.ts"

const load = () => import("./HoverGlanceCard.tsx")
const HoverGlanceCard = later(async () => (await load()).HoverGlanceCard)

/** Preloads the card, because a pointer that is already on the button when the card loads wouldn't be noticed. */
export const fetchGlances = (): void => void load().catch(() => undefined)

/** A button that previews what it opens while it is hovered or focused. */
export function HoverGlance(props: HoverGlanceProps) {
  const { onOpen, children } = props
  return (
    <Suspense fallback={children({ onClick: onOpen })}>
      <HoverGlanceCard {...props} />
    </Suspense>
  )
}
