import type { Source } from "../../../../shared/contract/chat.ts"

export interface NumberedSource {
  source: Source
  /** The answer hasn't cited it so far. */
  isNew: boolean
}

/** The sources of one answer, whose numbers go on after those that it began with. */
export interface Citations {
  /** What the pieces are cited by, in their order; a new one is a source of the answer only once it is added. */
  number(pieces: readonly Omit<Source, "citation">[]): NumberedSource[]
  /** Those that are new become the answer's. Takes no more than the beginning of what was numbered last. */
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

/** How a source is cited in the text. */
export const mark = ({ citation }: Pick<Source, "citation">): string => `[${citation}]`
