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
      {parts.map((part, index) => (
        <MarkdownPart
          key={part[0]?.offset}
          pieces={part}
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

/** Pieces that the browser lays out together. They stay together while the text grows. */
function inParts(pieces: Piece[]): Piece[][] {
  const parts: Piece[][] = []
  let cost = 0
  for (const piece of pieces) {
    if (parts.length * fullPart <= cost) parts.push([])
    parts.at(-1)?.push(piece)
    cost += piece.cost
  }
  return parts
}
