import { useCallback, useState } from "react"
import { useDrawnSoFar } from "../text/use-drawn-so-far.ts"
import "./markdown.css"
import { MarkdownPart } from "./MarkdownPart.tsx"
import { GrowingText, type Piece } from "./parse/growing-text.ts"
import { TextBudget } from "./text-budget.ts"

interface MarkdownProps {
  text: string
  /** More text is coming. */
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
  const parts = inParts(pieces)
  return (
    <div className={growing ? "markdown growing" : "markdown"} dir="auto">
      {parts.map(({ pieces: ofPart, isTable }, index) => (
        <MarkdownPart
          key={ofPart[0]?.offset}
          pieces={ofPart}
          isTable={isTable}
          budget={budget}
          growing={growing && index === parts.length - 1}
          settled={index < parts.length - partsAtWork}
        />
      ))}
    </div>
  )
}

/** What drawing a part costs. */
const fullPart = 30_000
/** Parts at the end that may still be changing. */
const partsAtWork = 2

/** Pieces of a table that are drawn as one; what is still longer has another heading. */
const mostOfTable = 150

interface Part {
  pieces: Piece[]
  /** They are one table. */
  isTable: boolean
}

/** Pieces that the browser lays out together. They stay together while the text grows. */
function inParts(pieces: Piece[]): Part[] {
  const parts: Part[] = []
  let cost = 0
  for (const [index, piece] of pieces.entries()) {
    const last = parts.at(-1)
    const goesOn = last?.isTable === true && piece.repeats > 0 && last.pieces.length < mostOfTable
    const isTable = (pieces[index + 1]?.repeats ?? 0) > 0
    if (last && (goesOn || (!last.isTable && !isTable && cost < fullPart))) {
      last.pieces.push(piece)
      cost += piece.cost
    } else {
      parts.push({ pieces: [piece], isTable })
      cost = piece.cost
    }
  }
  return parts
}
