import { use } from "react"
import { useShortcuts } from "../../../../lib/keys/shortcut.ts"
import { useShownDocument } from "../../../../lib/navigation/open-document.ts"
import { CitationContext } from "../../../../ui/markdown/citation-context.ts"

/** While no citation is open, the next-citation key opens the first one, and the previous-citation key the last. */
export function CitationKeys({ first, last }: { first: number; last: number }) {
  const { open } = use(CitationContext)
  const { shown } = useShownDocument()
  useShortcuts(shown ? {} : { nextCitation: () => open(first), previousCitation: () => open(last) })
  return null
}
