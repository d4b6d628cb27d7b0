import { Suspense } from "react"
import type { HoverGlanceProps } from "./HoverGlanceCard.tsx"
import { later } from "../../lib/later.ts"

const load = () => import("./HoverGlanceCard.tsx")
const HoverGlanceCard = later(async () => (await load()).HoverGlanceCard)

/** Fetches the card before there is anything to point at: a pointer that rests there already wouldn't be noticed. */
export const fetchGlances = (): void => void load().catch(() => undefined)

/** A button that shows at a glance what it opens while the pointer or the focus rests on it. */
export function HoverGlance(props: HoverGlanceProps) {
  const { onOpen, children } = props
  return (
    <Suspense fallback={children({ onClick: onOpen })}>
      <HoverGlanceCard {...props} />
    </Suspense>
  )
}
