/** Names that are shorter have nothing to cut between their beginning and their end. */
const short = 16
/** What tells apart files that begin alike, and what they are. */
const tailLength = 12

/** A name that is cut in its middle where there isn't room: its beginning and its end stay in sight. */
export function MiddleCut({ text }: { text: string }) {
  const letters = Array.from(text)
  if (letters.length <= short) return text
  return (
    <>
      <span className="sr-only">{text}</span>
      <span aria-hidden className="flex min-w-0">
        <span className="truncate whitespace-pre">{letters.slice(0, -tailLength).join("")}</span>
        <span className="shrink-0 whitespace-pre">{letters.slice(-tailLength).join("")}</span>
      </span>
    </>
  )
}
