import { memo } from "react"
import ReactMarkdown from "react-markdown"
import rehypeHighlight from "rehype-highlight"
import remarkGfm from "remark-gfm"
import { remarkCitations } from "./citations.ts"
import { markdownElements } from "./markdown-elements.tsx"
import { safeUrl } from "./safe-url.ts"

const remarkPlugins = [remarkGfm, remarkCitations]
const highlight = [rehypeHighlight]
const none: [] = []

/** Addresses that may not be followed vanish before anything is rendered. */
const keepSafe = (url: string): string => safeUrl(url)?.href ?? ""

interface MarkdownBlockProps {
  text: string
  /** Colours code. Left out while a long block still grows: it would be done again for every token. */
  coloured: boolean
}

/** One piece of Markdown. HTML in it stays text. */
export const MarkdownBlock = memo(function MarkdownBlock({ text, coloured }: MarkdownBlockProps) {
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={coloured ? highlight : none}
      components={markdownElements}
      urlTransform={keepSafe}
    >
      {text}
    </ReactMarkdown>
  )
})
