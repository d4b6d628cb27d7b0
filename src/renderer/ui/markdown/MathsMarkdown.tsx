import "katex/dist/katex.min.css"
import type { ComponentProps } from "react"
import ReactMarkdown from "react-markdown"
import rehypeKatex, { type Options } from "rehype-katex"
import remarkMath from "remark-math"
import { unifyMaths } from "./maths.ts"

/** Formulas come from models: no links, no HTML, and bounds on sizes and on macros that call each other. */
const katex: Options = { trust: false, strict: "ignore", maxSize: 20, maxExpand: 200 }

/** Markdown with formulas. Loaded when the first one is there: what draws them is large. */
export function MathsMarkdown({ children, ...rest }: ComponentProps<typeof ReactMarkdown>) {
  return (
    <ReactMarkdown
      {...rest}
      remarkPlugins={[...(rest.remarkPlugins ?? []), [remarkMath, { singleDollarTextMath: false }]]}
      rehypePlugins={[[rehypeKatex, katex], ...(rest.rehypePlugins ?? [])]}
    >
      {unifyMaths(children ?? "")}
    </ReactMarkdown>
  )
}
