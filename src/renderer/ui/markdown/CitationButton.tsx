import { t } from "i18next"
import { use } from "react"
import { HoverGlance } from "../layers/HoverGlance.tsx"
import { CitationContext } from "./citation-context.ts"

/** `[3]` in an answer: previews the passage and opens it. A number without a passage stays text. */
export function CitationButton({ number }: { number: number }) {
  const citations = use(CitationContext)
  const label = citations.label(number)
  if (label === undefined) return <>[{number}]</>
  return (
    <HoverGlance glance={citations.preview(number)} onOpen={() => citations.open(number)}>
      {(handlers) => (
        <button
          type="button"
          aria-label={t("chat:source", { number, name: label })}
          {...handlers}
          className="mx-px inline-flex h-4 min-w-4 -translate-y-px items-center justify-center rounded-sm bg-tint px-1 align-middle text-[0.6875rem] leading-none font-medium text-accent tabular-nums hover:bg-solid hover:text-on-solid"
        >
          {number}
        </button>
      )}
    </HoverGlance>
  )
}
