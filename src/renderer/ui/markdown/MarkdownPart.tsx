import { memo } from "react"
import { LongTable } from "./LongTable.tsx"
import { MarkdownBlock } from "./MarkdownBlock.tsx"
import type { Piece } from "./parse/growing-text.ts"
import type { TextBudget } from "./text-budget.ts"

const colouredWhileGrowing = 4000

interface MarkdownPartProps {
  pieces: Piece[]
  /** Whether its pieces are one table. */
  isTable: boolean
  /** Limits for the whole text. */
  budget: TextBudget
  /** Whether its last piece is still growing. */
  growing: boolean
  /** Whether it has been laid out once and won't change. The browser may then skip it while it is off screen. */
  settled: boolean
}

/** Several pieces of a text that are laid out together. */
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
        // The key of a piece is its position in the text, which doesn't change while the text grows.
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
