import { lazy, Suspense } from "react"
import { classNames } from "../class-names.ts"
import { LongText } from "../text/LongText.tsx"

const loadMarkdown = async () => (await import("./Markdown.tsx")).Markdown

/** Fetches it ahead; its reader is made ready when the browser has time. */
export async function warmMarkdown(): Promise<void> {
  const [{ warmUp }] = await Promise.all([import("./warm-up.ts"), loadMarkdown()])
  requestIdleCallback(warmUp)
}

const Markdown = lazy(async () => ({ default: await loadMarkdown() }))

/**
 * Markdown, loaded when the first one is shown. Until then a text that grows shows as it is, and one that is complete
 * keeps its place: its signs would be seen for a moment only.
 */
export function LazyMarkdown({ text, growing = false }: { text: string; growing?: boolean }) {
  return (
    <Suspense
      fallback={
        <div
          className={classNames(
            "text-[0.9375rem] leading-[1.65] whitespace-pre-wrap",
            !growing && "invisible",
          )}
        >
          <LongText text={text} />
        </div>
      }
    >
      <Markdown text={text} growing={growing} />
    </Suspense>
  )
}
