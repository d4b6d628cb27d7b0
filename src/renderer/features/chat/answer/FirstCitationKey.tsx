import { use } from "react"
import { useShortcuts } from "../../../lib/keys/shortcut.ts"
import { useShownDocument } from "../../../lib/places/shown-document.ts"
import { CitationContext } from "../../../ui/markdown/citation-context.ts"

/** The key of the next citation opens the first one while none is open. */
export function FirstCitationKey({ number }: { number: number }) {
  const { open } = use(CitationContext)
  const { shown } = useShownDocument()
  useShortcuts({ nextCitation: shown ? undefined : () => open(number) })
  return null
}
