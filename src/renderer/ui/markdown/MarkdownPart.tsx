import { memo } from "react"
import { LongTable } from "./LongTable.tsx"
import { MarkdownBlock } from "./MarkdownBlock.tsx"
import type { Piece } from "./parse/growing-text.ts"
import type { TextBudget } from "./text-budget.ts"

const colouredWhileGrowing = 4000

interface MarkdownPartProps {
  pieces: Piece[]
  /** They are one table. */
  isTable: boolean
  /** What its text may take. */
  budget: TextBudget
  /** More text is coming to its last piece. */
  growing: boolean
  /** It has been laid out once and won't change: the browser may leave it out while it isn't seen. */
  settled: boolean
}

/** Some pieces of a text that are laid out together. */
export const MarkdownPart = memo(function MarkdownPart(props: MarkdownPartProps) {
  const { pieces, isTable, budget, growing, settled } = props
  if (isTable)
    return (
      <div className={settled ? "part settled" : "part"}>
        <LongTable pieces={pieces} budget={budget} growing={growing} />
      </div>
    )
  return (
    <div className={settled ? "part settled" : "part"}>
      {pieces.map(({ text, offset }, index) => {
        const grows = growing && index === pieces.length - 1
        const coloured = !grows || text.length < colouredWhileGrowing
        // A piece's place in the text is what it is known by: a growing text doesn't move it.
        return <MarkdownBlock key={offset} text={text} offset={offset} budget={budget} coloured={coloured} />
      })}
    </div>
  )
}, isSame)

function isSame(before: MarkdownPartProps, now: MarkdownPartProps): boolean {
  return (
    before.isTable === now.isTable &&
    before.growing === now.growing &&
    before.settled === now.settled &&
    before.pieces.length === now.pieces.length &&
    before.pieces.every((piece, index) => piece === now.pieces[index])
  )
}
