import type { Source } from "../../../../../shared/contract/chat.ts"
import { sourceLink } from "../../grounding/source-link.ts"
import type { PlacedBlock } from "../cut-parts.ts"
import type { Document } from "../documents.ts"
import { folderOf, type ReadingLibrary } from "../library.ts"

/** A note and the blocks that it rests on, wherever they stand. */
export interface CitedNote {
  text: string
  at: readonly PlacedBlock[]
  cells?: readonly string[] | undefined
  /** The documents that were read for it, where it rests on no block. */
  from?: readonly Document[]
}

/** Gives each block that notes rest on the number by which a model cites it, from 1. */
export function numberBlocks(notes: readonly CitedNote[]): BlockNumbers {
  const numbers = new Map<string, number>()
  const blocks: PlacedBlock[] = []
  for (const block of notes.flatMap(({ at }) => at)) {
    if (numbers.has(keyOf(block))) continue
    blocks.push(block)
    numbers.set(keyOf(block), blocks.length)
  }
  return {
    of: ({ at }) => at.map((block) => numbers.get(keyOf(block)) ?? 0),
    block: (number) => blocks[number - 1] ?? null,
  }
}

export interface BlockNumbers {
  of(note: CitedNote): number[]
  /** null: it is no block's number. */
  block(number: number): PlacedBlock | null
}

const keyOf = ({ document, index }: PlacedBlock) => `${document.file.id}/${index}`

/** Makes sources of blocks, numbered in the order in which the text cites them. */
export function createSources(library: Pick<ReadingLibrary, "passageOf">, boxAddress: string) {
  const cited = new Map<string, number>()

  return {
    /** The number that a block is cited by, and its source where it is cited for the first time. */
    async cite(placed: PlacedBlock): Promise<{ citation: number; source: Source | null }> {
      const key = keyOf(placed)
      const known = cited.get(key)
      if (known !== undefined) return { citation: known, source: null }
      const citation = cited.size + 1
      cited.set(key, citation)
      const { file, blocks } = placed.document
      const block = blocks[placed.index] ?? placed.block
      const passage = {
        id: (await library.passageOf(file.id, block)) ?? file.id,
        fileId: file.id,
        fileName: file.name,
        vectorId: folderOf(file),
        relativePath: file.relativePath,
        text: block.text,
        location: block.location,
        score: 1,
        rank: {},
      }
      return { citation, source: { ...passage, citation, url: sourceLink(boxAddress, passage) } }
    },
    isCited: (placed: PlacedBlock): boolean => cited.has(keyOf(placed)),
  }
}

export type Sources = ReturnType<typeof createSources>
