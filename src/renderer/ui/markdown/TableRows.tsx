import type { Element, Root, RootContent } from "hast"
import { memo, useMemo } from "react"
import { isUnbroken } from "../text/unbroken-text.ts"
import { drawTree } from "./draw-tree.tsx"
import { PlainBlock } from "./PlainBlock.tsx"
import type { TextBudget } from "./text-budget.ts"
import { useTree } from "./use-tree.ts"

interface TableRowsProps {
  text: string
  /** Its position in the text. */
  offset: number
  /** Number of characters at its start that repeat an earlier piece: the header. */
  repeats: number
  /** Limits for the whole text. */
  budget: TextBudget
  /** Number of columns. */
  columns: number
}

/** One piece of a long table: its rows, and the header if it is the first piece. */
export const TableRows = memo(function TableRows({ text, offset, repeats, budget, columns }: TableRowsProps) {
  const tree = useTree({ text, offset, budget, coloured: true })
  const className = useMemo(() => (isUnbroken(text) ? "no-contextual" : undefined), [text])
  const isFirst = repeats === 0
  const sections = useMemo(
    () =>
      tree !== undefined &&
      tree !== "too-much" &&
      getSections(tree.root)
        .filter(({ tagName }) => isFirst || tagName !== "thead")
        .map(({ tagName, children }) => ({ tagName, drawn: drawTree({ type: "root", children }) })),
    [tree, isFirst],
  )
  if (sections === false)
    return (
      <tbody>
        <tr>
          <td colSpan={columns}>
            <PlainBlock text={text.slice(repeats)} unread={tree === undefined} />
          </td>
        </tr>
      </tbody>
    )
  return sections.map(({ tagName, drawn }, index) => {
    const key = `${tagName} ${index}`
    if (tagName === "thead") return <thead key={key}>{drawn}</thead>
    if (tagName === "tbody")
      return (
        <tbody key={key} className={className}>
          {drawn}
        </tbody>
      )
    return (
      <tbody key={key}>
        <tr>
          <td colSpan={columns}>{drawn}</td>
        </tr>
      </tbody>
    )
  })
})

interface Section {
  tagName: string
  children: Element[]
}

/**
 * Returns the header and the rows of the tables in a tree. Anything else that follows the rows without a blank line is in separate
 * sections.
 */
const getSections = ({ children }: Root): Section[] =>
  getElements(children).flatMap((child): Section[] =>
    child.tagName === "table"
      ? getElements(child.children).map((section) => ({
          ...section,
          children: getElements(section.children),
        }))
      : [{ tagName: "div", children: [child] }],
  )

const getElements = (nodes: readonly RootContent[]): Element[] =>
  nodes.filter((node) => node.type === "element")
