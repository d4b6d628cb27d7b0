const texts = "[data-question], .markdown:not(details *)"
/** Not searched: controls around code, source numbers, and formulas for screen readers. */
const excludedSelector = "button, .katex-mathml, [data-besides]"
const blocks = "p, li, td, th, h1, h2, h3, h4, h5, h6, pre, blockquote, div, .block"
/** Maximum matches marked in all rows together. */
const maxMarks = 5000

/** Returns the matches in a rendered message, in order. */
export function drawnMatches(row: Element, pattern: RegExp): Range[] {
  const found: Range[] = []
  for (const element of row.querySelectorAll(texts)) {
    const nodes = textNodes(element)
    const text = nodes.map(({ before, node }) => before + node.data).join("")
    for (const { index, 0: match } of text.matchAll(pattern)) {
      if (found.length === maxMarks) return found
      const range = new Range()
      range.setStart(...pointAt(nodes, index, false))
      range.setEnd(...pointAt(nodes, index + match.length, true))
      found.push(range)
    }
  }
  return found
}

interface PlacedText {
  node: Text
  /** Separator between this text and the previous one. */
  before: "" | "\n"
  /** Offset of its start in the whole text. */
  start: number
}

/** Returns an element's text nodes, with a line break between blocks. */
function textNodes(element: Element): PlacedText[] {
  const walker = document.createTreeWalker(
    element,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) => {
      if (node instanceof Text) return NodeFilter.FILTER_ACCEPT
      return (node as Element).matches(excludedSelector) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP
    },
  )
  const nodes: PlacedText[] = []
  let block: Element | null | undefined
  let start = 0
  while (walker.nextNode()) {
    const node = walker.currentNode as Text
    const its = node.parentElement?.closest(blocks)
    const before = block === undefined || its === block ? "" : "\n"
    block = its
    start += before.length
    nodes.push({ node, before, start })
    start += node.data.length
  }
  return nodes
}

function pointAt(nodes: PlacedText[], offset: number, isEnd: boolean): [Text, number] {
  let [low, high] = [0, nodes.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const nodeStart = nodes[middle]?.start ?? 0
    if (isEnd ? nodeStart < offset : nodeStart <= offset) low = middle
    else high = middle - 1
  }
  const { node, start } = nodes[low] as PlacedText
  return [node, Math.min(offset - start, node.data.length)]
}
