import type { Block } from "../parser.ts"

const maxCharacters = 300

/** Returns the block with this title above its existing headings. */
export function withinHeading(title: string, block: Block): Block {
  const { heading } = block.location
  if (title === "") return block
  const path = heading === undefined ? title : `${title} › ${heading}`
  return { ...block, location: { ...block.location, heading: path.slice(0, maxCharacters) } }
}
