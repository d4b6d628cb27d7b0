import { renderToStaticMarkup } from "react-dom/server"
import { drawTree } from "../markdown-elements.tsx"
import { parseAnyBlock } from "../parse/parse-maths.ts"
import { makeSafe } from "../safe-tree.ts"

/** Renders a text as a single piece, as after the worker has read it. */
export function drawText(text: string, coloured = false): string {
  const tree = parseAnyBlock({ text, coloured })
  if (tree === "too-much") throw new Error("It is too much to be drawn.")
  return renderToStaticMarkup(drawTree(makeSafe(tree.root)))
}
