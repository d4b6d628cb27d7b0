import { memo, useMemo } from "react"
import { isUnbroken } from "../text/unbroken-text.ts"
import { drawTree } from "./draw-tree.tsx"
import { LongCode } from "./LongCode.tsx"
import { maxBlockLength } from "./parse/bounds.ts"
import { PlainBlock } from "./PlainBlock.tsx"
import type { TextBudget } from "./text-budget.ts"
import { useTree } from "./use-tree.ts"

interface MarkdownBlockProps {
  text: string
  /** Its position in the text. */
  offset: number
  /** Limits for the whole text. */
  budget: TextBudget
  /** Whether code is coloured. Off while a long block grows, because it would be coloured again for every token. */
  coloured: boolean
}

/** One piece of Markdown. HTML in it stays text. */
export const MarkdownBlock = memo(function MarkdownBlock(props: MarkdownBlockProps) {
  // Only code can be longer than the maximum that is read in one piece.
  return props.text.length > maxBlockLength ? <LongCode text={props.text} /> : <ReadBlock {...props} />
})

function ReadBlock(props: MarkdownBlockProps) {
  const { text } = props
  const tree = useTree(props)
  const drawn = useMemo(() => tree !== undefined && tree !== "too-much" && drawTree(tree.root), [tree])
  const unbroken = useMemo(() => isUnbroken(text), [text])
  if (tree === undefined || tree === "too-much") return <PlainBlock text={text} unread={tree === undefined} />
  return unbroken ? <div className="no-contextual contents">{drawn}</div> : drawn
}
