import { memo, useMemo } from "react"
import { isUnbroken } from "../text/unbroken-text.ts"
import { drawTree } from "./draw-tree.tsx"
import { LongCode } from "./LongCode.tsx"
import { longestBlock } from "./parse/bounds.ts"
import { PlainBlock } from "./PlainBlock.tsx"
import type { TextBudget } from "./text-budget.ts"
import { useTree } from "./use-tree.ts"

interface MarkdownBlockProps {
  text: string
  /** Where it stands in its text. */
  offset: number
  /** What its text may take. */
  budget: TextBudget
  /** Colours code. Left out while a long block still grows: it would be done again for every token. */
  coloured: boolean
}

/** One piece of Markdown. HTML in it stays text. */
export const MarkdownBlock = memo(function MarkdownBlock(props: MarkdownBlockProps) {
  // Only code stays longer than what is read at once.
  return props.text.length > longestBlock ? <LongCode text={props.text} /> : <ReadBlock {...props} />
})

function ReadBlock(props: MarkdownBlockProps) {
  const { text } = props
  const tree = useTree(props)
  const drawn = useMemo(() => tree !== undefined && tree !== "too-much" && drawTree(tree.root), [tree])
  const unbroken = useMemo(() => isUnbroken(text), [text])
  if (tree === undefined || tree === "too-much") return <PlainBlock text={text} unread={tree === undefined} />
  return unbroken ? <div className="no-contextual contents">{drawn}</div> : drawn
}
