import { useCallback, useState } from "react"
import { useDrawnSoFar } from "../text/use-drawn-so-far.ts"
import "./markdown.css"
import { MarkdownPart } from "./MarkdownPart.tsx"
import { GrowingText, type Piece } from "./parse/growing-text.ts"
import { TextBudget } from "./text-budget.ts"

interface MarkdownProps {
  text: string
  /** Whether more text will arrive. */
  growing?: boolean
}

/** Markdown from a model or a document, of any length. Finished pieces aren't rendered again while the text grows. */
export function Markdown({ text, growing = false }: MarkdownProps) {
  const [growingText] = useState(() => new GrowingText())
  const [budget] = useState(() => new TextBudget())
  const pieces = useDrawnSoFar(
    text.length,
    useCallback((cost: number) => growingText.pieces(text, cost), [growingText, text]),
  )
  const parts = groupIntoParts(pieces)
  return (
    <div className={growing ? "markdown growing" : "markdown"} dir="auto">
      {parts.map(({ pieces: partPieces, isTable }, index) => (
        <MarkdownPart
          key={partPieces[0]?.offset}
          pieces={partPieces}
          isTable={isTable}
          budget={budget}
          growing={growing && index === parts.length - 1}
          settled={index < parts.length - partsAtWork}
        />
      ))}
    </div>
  )
}

/** The rendering cost at which a part is full. */
const fullPart = 30_000
/** Number of parts at the end that may still change. */
const partsAtWork = 2

/** Maximum number of table pieces rendered as a single table. A longer table continues under another header. */
const maxPerTable = 150

interface Part {
  pieces: Piece[]
  /** Whether its pieces are one table. */
  isTable: boolean
}

/** Groups pieces that the browser lays out together. The groups don't change while the text grows. */
function groupIntoParts(pieces: Piece[]): Part[] {
  const parts: Part[] = []
  let cost = 0
  for (const [index, piece] of pieces.entries()) {
    const last = parts.at(-1)
    const isContinued = last?.isTable === true && piece.repeats > 0 && last.pieces.length < maxPerTable
    const isTable = (pieces[index + 1]?.repeats ?? 0) > 0
    if (last && (isContinued || (!last.isTable && !isTable && cost < fullPart))) {
      last.pieces.push(piece)
      cost += piece.cost
    } else {
      parts.push({ pieces: [piece], isTable })
      cost = piece.cost
    }
  }
  return parts
}
