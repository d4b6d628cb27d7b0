import { useEffect, useState } from "react"
import { classNames } from "../class-names.ts"
import { LongText } from "../text/LongText.tsx"
import type { Markdown } from "./Markdown.tsx"

/** What draws it, once it is there. */
const loaded: { Markdown?: typeof Markdown } = {}

async function loadMarkdown(): Promise<void> {
  loaded.Markdown = (await import("./Markdown.tsx")).Markdown
}

/** Fetches it ahead; its reader is made ready when the browser has time. */
export async function warmMarkdown(): Promise<void> {
  const [{ warmUp }] = await Promise.all([import("./warm-up.ts"), loadMarkdown()])
  requestIdleCallback(warmUp)
}

/** Has it fetched, and drawn again once it is there. Suspense would show what stands in its place for 300 ms, however soon that is. */
function useLoaded(): void {
  const [isLoaded, setLoaded] = useState(loaded.Markdown !== undefined)
  useEffect(() => {
    if (isLoaded) return
    loadMarkdown().then(
      () => setLoaded(true),
      (error: unknown) =>
        setLoaded(() => {
          throw error // as if drawing had failed
        }),
    )
  }, [isLoaded])
}

/**
 * Markdown, loaded when the first one is shown. Until then a text that grows shows as it is, and one that is complete
 * keeps its place: its signs would be seen for a moment only.
 */
export function LazyMarkdown({ text, growing = false }: { text: string; growing?: boolean }) {
  useLoaded()
  if (loaded.Markdown) return <loaded.Markdown text={text} growing={growing} />
  return (
    <div
      className={classNames("text-[0.9375rem] leading-[1.65] whitespace-pre-wrap", !growing && "invisible")}
    >
      <LongText text={text} />
    </div>
  )
}
