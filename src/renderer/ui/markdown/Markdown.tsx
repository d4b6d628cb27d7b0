import { useMemo } from "react"
import "./markdown.css"
import { MarkdownBlock } from "./MarkdownBlock.tsx"
import { splitBlocks } from "./split-blocks.ts"

const colouredWhileGrowing = 4000

interface MarkdownProps {
  text: string
  /** More text is coming. */
  growing?: boolean
}

/** Markdown from a model or a document. Finished pieces aren't rendered again while the text grows. */
export function Markdown({ text, growing = false }: MarkdownProps) {
  const blocks = useMemo(() => withOffsets(splitBlocks(text)), [text])
  return (
    <div className={growing ? "markdown growing" : "markdown"} dir="auto">
      {blocks.map(({ block, offset }, index) => {
        const grows = growing && index === blocks.length - 1
        const coloured = !grows || block.length < colouredWhileGrowing
        return <MarkdownBlock key={offset} text={block} coloured={coloured} />
      })}
    </div>
  )
}

/** A block's place in the text is what it is known by: a growing text doesn't move it. */
function withOffsets(blocks: string[]): { block: string; offset: number }[] {
  let offset = 0
  return blocks.map((block) => {
    const placed = { block, offset }
    offset += block.length + 1
    return placed
  })
}
