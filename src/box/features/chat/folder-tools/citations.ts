import type { Source } from "../../../../shared/contract/chat.ts"

export interface NumberedSource {
  source: Source
  /** Whether the answer hasn't cited it yet. */
  isNew: boolean
}

/** The sources of one answer. Their numbers continue after those of the initial sources. */
export interface Citations {
  /** Returns the pieces with citation numbers, in order. A new piece becomes a source of the answer only when it is added. */
  number(pieces: readonly Omit<Source, "citation">[]): NumberedSource[]
  /** Adds the new pieces to the answer's sources. Accepts only the pieces numbered last, or the first of them. */
  add(numbered: readonly NumberedSource[]): Source[]
  find(citation: number): Source | undefined
}

export function createCitations(known: readonly Source[]): Citations {
  const sources = new Map(known.map((source) => [source.id, source]))
  return {
    number(pieces) {
      let last = Math.max(0, ...[...sources.values()].map(({ citation }) => citation))
      return pieces.map((piece) => {
        const cited = sources.get(piece.id)
        return cited
          ? { source: cited, isNew: false }
          : { source: { ...piece, citation: ++last }, isNew: true }
      })
    },
    add(numbered) {
      const added = numbered.filter(({ isNew }) => isNew).map(({ source }) => source)
      for (const source of added) sources.set(source.id, source)
      return added
    },
    find: (citation) => [...sources.values()].find((source) => source.citation === citation),
  }
}

/** Returns a source's citation mark in the text. */
export const mark = ({ citation }: Pick<Source, "citation">): string => `[${citation}]`
