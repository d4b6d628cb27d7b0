import { t } from "i18next"
import { ChevronDown, ChevronUp } from "lucide-react"
import { shortcutName, useShortcuts } from "../../lib/keys/shortcut.ts"
import { useOpenDocument, type OpenDocument } from "../../lib/navigation/open-document.ts"
import { IconButton } from "../../ui/controls/Button.tsx"

/** Shows which of an answer's citations is open, with buttons for the previous and next one; nothing if there is only one. */
export function CitationSteps({ document }: { document: OpenDocument }) {
  const { among = [], passage } = document
  const openDocument = useOpenDocument()
  const index = among.findIndex((other) => other.passage?.id === passage?.id)
  const step = (to: OpenDocument | undefined) => to && (() => openDocument(to))
  const next = step(among[index + 1])
  const previous = step(among[index - 1])
  useShortcuts({ nextCitation: next, previousCitation: previous })
  if (among.length < 2 || index < 0) return null
  return (
    <>
      <output className="shrink-0 pr-1 text-xs leading-8 text-faint tabular-nums">
        {t("passages:citationOf", { number: index + 1, count: among.length })}
      </output>
      <IconButton
        label={t("passages:previousCitation")}
        keys={shortcutName("previousCitation")}
        disabled={previous === undefined}
        onClick={() => previous?.()}
      >
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton
        label={t("passages:nextCitation")}
        keys={shortcutName("nextCitation")}
        disabled={next === undefined}
        onClick={() => next?.()}
      >
        <ChevronDown aria-hidden />
      </IconButton>
    </>
  )
}
