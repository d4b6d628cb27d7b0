import { renderToStaticMarkup } from "react-dom/server"
import { drawTree, makeSafe } from "../markdown-elements.tsx"
import { parseAnyBlock } from "../parse/parse-maths.ts"

/** Renders a text as a single piece, as after the worker has read it. */
export function drawText(text: string, coloured = false): string {
  const tree = parseAnyBlock({ text, coloured })
  if (tree === "too-much") throw new Error("It is too much to be drawn.")
  return renderToStaticMarkup(drawTree(makeSafe(tree.root)))
}
