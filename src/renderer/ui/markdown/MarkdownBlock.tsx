import { lazy, memo, Suspense } from "react"
import ReactMarkdown, { type Options } from "react-markdown"
import rehypeHighlight from "rehype-highlight"
import remarkGfm from "remark-gfm"
import { remarkCitations } from "./citations.ts"
import { markdownElements } from "./markdown-elements.tsx"
import { mayHoldMaths } from "./maths.ts"
import { safeUrl } from "./safe-url.ts"

const MathsMarkdown = lazy(() =>
  import("./MathsMarkdown.tsx").then(({ MathsMarkdown }) => ({ default: MathsMarkdown })),
)

/** How every piece is read and shown. Addresses that may not be followed vanish before anything is rendered. */
const plain: Options = {
  remarkPlugins: [remarkGfm, remarkCitations],
  components: markdownElements,
  urlTransform: (url) => safeUrl(url)?.href ?? "",
}
/** Made once: a plugin is set up anew for every piece, and this one would learn dozens of languages each time. */
const highlight = rehypeHighlight()
const withColours: Options = { ...plain, rehypePlugins: [() => highlight] }

/** How a piece is read and shown, with or without formulas. */
export const markdownOptions = (coloured: boolean): Options => (coloured ? withColours : plain)

interface MarkdownBlockProps {
  text: string
  /** Colours code. Left out while a long block still grows: it would be done again for every token. */
  coloured: boolean
}

/** One piece of Markdown. HTML in it stays text. */
export const MarkdownBlock = memo(function MarkdownBlock({ text, coloured }: MarkdownBlockProps) {
  const options = markdownOptions(coloured)
  const withoutMaths = <ReactMarkdown {...options}>{text}</ReactMarkdown>
  if (!mayHoldMaths(text)) return withoutMaths
  return (
    <Suspense fallback={withoutMaths}>
      <MathsMarkdown {...options}>{text}</MathsMarkdown>
    </Suspense>
  )
})
