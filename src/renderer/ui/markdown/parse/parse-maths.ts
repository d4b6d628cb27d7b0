import rehypeHighlight from "rehype-highlight"
import rehypeKatex, { type Options } from "rehype-katex"
import remarkGfm from "remark-gfm"
import remarkMath from "remark-math"
import remarkParse from "remark-parse"
import remarkRehype from "remark-rehype"
import { unified } from "unified"
import { remarkCitations, remarkPlainCells } from "./remark-plugins.ts"
import { mayHaveMaths, unifyMaths } from "./maths.ts"
import { parseBlock, parseWith, type Block, type BlockTree, type Unread } from "./parse-block.ts"

/** Formulas come from models: no links, no HTML, and limits on sizes and on macro expansion. */
const katex: Options = { trust: false, strict: "ignore", maxSize: 20, maxExpand: 200 }

const highlight = rehypeHighlight()
const read = () =>
  unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(remarkPlainCells)
    .use(remarkCitations)
    .use(remarkMath, { singleDollarTextMath: false })
    .use(remarkRehype, { allowDangerousHtml: true })
    .use(rehypeKatex, katex)
const plainReader = read().freeze()
const colouringReader = read()
  .use(() => highlight)
  .freeze()

/** Parses any piece, with its formulas. The formula renderer is large, so it is only in the worker. */
export function parseAnyBlock(block: Block): BlockTree | Unread {
  if (!mayHaveMaths(block.text)) return parseBlock(block)
  return parseWith(block.coloured ? colouringReader : plainReader, unifyMaths(block.text))
}
