import { use } from "react"
import { CitationContext } from "./citation-context.ts"

/** `[3]` in an answer: opens the passage. A number without a passage stays text. */
export function CitationButton({ number }: { number: number }) {
  const citations = use(CitationContext)
  const label = citations.label(number)
  if (label === undefined) return <>[{number}]</>
  return (
    <button
      type="button"
      aria-label={`Source ${number}: ${label}`}
      title={label}
      onClick={() => citations.open(number)}
      className="mx-px inline-flex h-4 min-w-4 -translate-y-px items-center justify-center rounded-sm bg-tint px-1 align-middle text-[0.6875rem] leading-none font-medium text-accent tabular-nums hover:bg-solid hover:text-on-solid"
    >
      {number}
    </button>
  )
}
