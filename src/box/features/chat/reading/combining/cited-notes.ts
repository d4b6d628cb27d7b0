import type { Source } from "../../../../../shared/contract/chat.ts"
import { sourceLink } from "../../grounding/source-link.ts"
import type { PlacedBlock } from "../cut-parts.ts"
import type { Document } from "../documents.ts"
import { getFolder, type ReadingLibrary } from "../library.ts"

/** A note and the blocks that it is based on, in any document. */
export interface CitedNote {
  text: string
  at: readonly PlacedBlock[]
  cells?: readonly string[] | undefined
  /** The documents that were read for it, if it isn't based on a block. */
  from?: readonly Document[]
}

/** Gives each block that notes are based on the number by which a model cites it, starting at 1. */
export function numberBlocks(notes: readonly CitedNote[]): BlockNumbers {
  const numbers = new Map<string, number>()
  const blocks: PlacedBlock[] = []
  for (const block of notes.flatMap(({ at }) => at)) {
    if (numbers.has(getKey(block))) continue
    blocks.push(block)
    numbers.set(getKey(block), blocks.length)
  }
  return {
    of: ({ at }) => at.map((block) => numbers.get(getKey(block)) ?? 0),
    block: (number) => blocks[number - 1] ?? null,
  }
}

export interface BlockNumbers {
  of(note: CitedNote): number[]
  /** Returns null if no block has this number. */
  block(number: number): PlacedBlock | null
}

const getKey = ({ document, index }: PlacedBlock) => `${document.file.id}/${index}`

/** Creates sources from blocks, numbered in the order in which the text cites them. */
export function createSources(library: Pick<ReadingLibrary, "getPassage">, boxAddress: string) {
  const cited = new Map<string, number>()

  return {
    /** Returns the citation number of a block, and its source if it is cited for the first time. */
    async cite(placed: PlacedBlock): Promise<{ citation: number; source: Source | null }> {
      const key = getKey(placed)
      const known = cited.get(key)
      if (known !== undefined) return { citation: known, source: null }
      const citation = cited.size + 1
      cited.set(key, citation)
      const { file, blocks } = placed.document
      const block = blocks[placed.index] ?? placed.block
      const passage = {
        id: (await library.getPassage(file.id, block)) ?? file.id,
        fileId: file.id,
        fileName: file.name,
        vectorId: getFolder(file),
        relativePath: file.relativePath,
        text: block.text,
        location: block.location,
        score: 1,
        rank: {},
      }
      return { citation, source: { ...passage, citation, url: sourceLink(boxAddress, passage) } }
    },
    isCited: (placed: PlacedBlock): boolean => cited.has(getKey(placed)),
  }
}

export type Sources = ReturnType<typeof createSources>
