import { lazy, Suspense } from "react"

const Markdown = lazy(() => import("./Markdown.tsx").then(({ Markdown }) => ({ default: Markdown })))

/** Markdown, loaded when the first one is shown; until then its plain text. */
export function LazyMarkdown({ text, growing = false }: { text: string; growing?: boolean }) {
  return (
    <Suspense fallback={<div className="whitespace-pre-wrap">{text}</div>}>
      <Markdown text={text} growing={growing} />
    </Suspense>
  )
}
