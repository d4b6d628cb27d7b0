import { foldedWords } from "../../../shared/words/words-and-cells.ts"
import type { TextRange } from "./locate-passage.ts"
import { splitCells } from "./table-cells.ts"

/** Minimum share of a claim's words, weighted by length, that must occur in the sentence it is based on. */
const minShared = 0.3

interface Piece {
  range: TextRange
  words: Set<string>
}

/**
 * Returns the sentences of a passage that claims are based on: for each claim the sentence that shares most of its words, and any other
 * that it repeats word for word. For a table row, returns only the repeated cells, if there are any. A sentence that shares too little is
 * left out.
 */
export function quotedParts(passage: string, claims: readonly string[]): TextRange[] {
  const pieces = getPieces(passage)
  const quoted = new Set<Piece>()
  const saidWords = new Set<string>()
  for (const claim of claims) {
    const words = new Set(foldedWords(claim))
    const whole = getSize(words)
    for (const word of words) saidWords.add(word)
    const shares = pieces.map((piece) => getSize([...piece.words].filter((word) => words.has(word))))
    const most = Math.max(0, ...shares)
    const best = pieces[shares.indexOf(most)]
    if (best && whole > 0 && most >= whole * minShared) quoted.add(best)
    for (const piece of pieces) if (piece.words.size > 2 && isWithin(piece.words, words)) quoted.add(piece)
  }
  return pieces
    .filter((piece) => quoted.has(piece))
    .flatMap(({ range }) => cellsIn(passage, range, saidWords))
}

const isWithin = (words: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...words].every((word) => others.has(word))

const getSize = (words: Iterable<string>) => [...words].reduce((sum, { length }) => sum + length, 0)

function getPieces(passage: string): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const line of passage.split("\n")) {
    const isRow = splitCells(line).length > 1
    const stretches = isRow
      ? [{ segment: line, index: 0 }]
      : Array.from(new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(line))
    for (const { segment, index } of stretches) {
      const words = new Set(foldedWords(segment))
      const start = at + index
      if (words.size > 0) pieces.push({ range: [start, start + segment.trimEnd().length], words })
    }
    at += line.length + 1
  }
  return pieces
}

function cellsIn(passage: string, [start, end]: TextRange, saidWords: ReadonlySet<string>): TextRange[] {
  const cells = splitCells(passage.slice(start, end)).map(([from, to]): TextRange => [
    start + from,
    start + to,
  ])
  if (cells.length === 1) return cells
  const repeated = cells.filter(([from, to]) => {
    const words = new Set(foldedWords(passage.slice(from, to)))
    return words.size > 0 && isWithin(words, saidWords)
  })
  return repeated.length > 0 ? repeated : cells
}
