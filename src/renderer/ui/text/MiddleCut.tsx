/** Shorter names aren't cut. */
const short = 16
/** Number of characters at the end that stay visible. They distinguish files with similar names and show the file type. */
const tailLength = 12

/** A name that is cut in the middle if there isn't room, so that its beginning and end stay visible. */
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
