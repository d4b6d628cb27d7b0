import { foldedWords } from "../../../shared/words/words-of.ts"
import type { TextRange } from "./locate-passage.ts"
import { splitCells } from "./table-cells.ts"

/** Of the words of a claim, by their lengths, at least so much stands in what it rests on. */
const leastShared = 0.3

interface Piece {
  range: TextRange
  words: Set<string>
}

/**
 * The sentences of a passage that claims rest on: for each the one that shares most of its words, and whatever else it
 * repeats word by word. Of a row of a table the cells that are repeated, where there are any. Nothing where no sentence
 * shares enough.
 */
export function quotedParts(passage: string, claims: readonly string[]): TextRange[] {
  const pieces = piecesOf(passage)
  const quoted = new Set<Piece>()
  const said = new Set<string>()
  for (const claim of claims) {
    const words = new Set(foldedWords(claim))
    const whole = sizeOf(words)
    for (const word of words) said.add(word)
    const shares = pieces.map((piece) => sizeOf([...piece.words].filter((word) => words.has(word))))
    const most = Math.max(0, ...shares)
    const best = pieces[shares.indexOf(most)]
    if (best && whole > 0 && most >= whole * leastShared) quoted.add(best)
    for (const piece of pieces) if (piece.words.size > 2 && isWithin(piece.words, words)) quoted.add(piece)
  }
  return pieces.filter((piece) => quoted.has(piece)).flatMap(({ range }) => cellsIn(passage, range, said))
}

const isWithin = (words: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...words].every((word) => others.has(word))

const sizeOf = (words: Iterable<string>) => [...words].reduce((sum, { length }) => sum + length, 0)

function piecesOf(passage: string): Piece[] {
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

function cellsIn(passage: string, [start, end]: TextRange, said: ReadonlySet<string>): TextRange[] {
  const cells = splitCells(passage.slice(start, end)).map(([from, to]): TextRange => [
    start + from,
    start + to,
  ])
  if (cells.length === 1) return cells
  const repeated = cells.filter(([from, to]) => {
    const words = new Set(foldedWords(passage.slice(from, to)))
    return words.size > 0 && isWithin(words, said)
  })
  return repeated.length > 0 ? repeated : cells
}
