import { useEffect, useState } from "react"
import { classNames } from "../class-names.ts"
import { LongText } from "../text/LongText.tsx"
import type { Markdown } from "./Markdown.tsx"

/** The component, after it has loaded. */
const loaded: { Markdown?: typeof Markdown } = {}

async function loadMarkdown(): Promise<void> {
  loaded.Markdown = (await import("./Markdown.tsx")).Markdown
}

/** Preloads the component, and warms up its parser when the browser is idle. */
export async function warmMarkdown(): Promise<void> {
  const [{ warmUp }] = await Promise.all([import("./parse/parse-block.ts"), loadMarkdown()])
  requestIdleCallback(warmUp)
}

/** Loads the component, then renders again. Suspense would show its placeholder for 300 ms, however quickly loading finishes. */
function useLoaded(): void {
  const [isLoaded, setLoaded] = useState(loaded.Markdown !== undefined)
  useEffect(() => {
    if (isLoaded) return
    loadMarkdown().then(
      () => setLoaded(true),
      (error: unknown) =>
        setLoaded(() => {
          throw error // as if rendering had failed
        }),
    )
  }, [isLoaded])
}

/**
 * Markdown, loaded on first use. Until then, a growing text is shown as it is, and a complete one only takes up its space, because its
 * markup would be visible for a moment only.
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
