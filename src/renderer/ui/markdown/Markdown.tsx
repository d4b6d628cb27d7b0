import type { Element, Root, RootContent } from "hast"
import { t } from "i18next"
import { memo, useMemo, useCallback, useState } from "react"
import { usePinnedScroll } from "../scrolling.ts"
import { LongText, isUnbroken, useDrawnSoFar } from "../text/LongText.tsx"
import { CodeBlock, drawTree } from "./markdown-elements.tsx"
import { maxBlockLength } from "./parse/bounds.ts"
import { type Piece, GrowingText, findColumns } from "./parse/growing-text.ts"
import { TextBudget, useTree } from "./use-tree.ts"
import "./markdown.css"

interface PlainBlockProps {
  text: string
  /** Whether it is still being read. */
  unread: boolean
}

/**
 * A piece shown as written, either until it has been read, or because reading or rendering it would take too long. The first of several
 * such pieces explains this.
 */
function PlainBlock({ text, unread }: PlainBlockProps) {
  return (
    <div className={unread ? "unread" : "plain"}>
      {!unread && <p className="plain-note">{t("chat:markdown.plain")}</p>}
      <LongText text={text} />
    </div>
  )
}

const opening = /^ {0,3}(?:`{3,}|~{3,})[ \t]*(?<language>[\w+#-]{0,40})[^\n]*(?:\n|$)/
const closing = /\n {0,3}(?:`{3,}|~{3,})\s*$/

/** Fenced code of any length, without colours, rendered step by step. */
function LongCode({ text }: { text: string }) {
  const language = opening.exec(text)?.groups?.["language"]
  const end = closing.exec(text.slice(-maxEndLength))
  const code = text
    .slice(0, end ? text.length - maxEndLength + end.index + 1 : undefined)
    .replace(opening, "")
  return (
    <CodeBlock language={language === "" ? undefined : language}>
      <code>
        <LongText text={code} />
      </code>
    </CodeBlock>
  )
}

/** Number of characters at the end in which the closing fence is searched. */
const maxEndLength = 200

interface MarkdownBlockProps {
  text: string
  /** Its position in the text. */
  offset: number
  /** Limits for the whole text. */
  budget: TextBudget
  /** Whether code is coloured. Off while a long block grows, because it would be coloured again for every token. */
  coloured: boolean
}

/** One piece of Markdown. HTML in it stays text. */
const MarkdownBlock = memo(function MarkdownBlock(props: MarkdownBlockProps) {
  // Only code can be longer than the maximum that is read in one piece.
  return props.text.length > maxBlockLength ? <LongCode text={props.text} /> : <ReadBlock {...props} />
})

function ReadBlock(props: MarkdownBlockProps) {
  const { text } = props
  const tree = useTree(props)
  const drawn = useMemo(() => tree !== undefined && tree !== "too-much" && drawTree(tree.root), [tree])
  const unbroken = useMemo(() => isUnbroken(text), [text])
  if (tree === undefined || tree === "too-much") return <PlainBlock text={text} unread={tree === undefined} />
  return unbroken ? <div className="no-contextual contents">{drawn}</div> : drawn
}

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
const TableRows = memo(function TableRows({ text, offset, repeats, budget, columns }: TableRowsProps) {
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

interface LongTableProps {
  /** Each piece includes the table's header. */
  pieces: readonly Piece[]
  /** Limits for the whole text. */
  budget: TextBudget
  /** Whether more rows will arrive. */
  growing: boolean
}

/**
 * A table that is read in several pieces, with one header that stays in view. Its columns don't depend on later cells, so new rows don't
 * move existing ones.
 */
function LongTable({ pieces, budget, growing }: LongTableProps) {
  const { scroller, content } = usePinnedScroll<HTMLElement, HTMLTableElement>(growing)
  const beginning = pieces[0]?.text ?? ""
  const columns = useMemo(() => findColumns(beginning), [beginning])
  return (
    <section
      ref={scroller}
      aria-label={t("chat:markdown.table")}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      className="long-table my-3 max-h-[60vh] overflow-auto focus-visible:-outline-offset-2"
    >
      <table ref={content} style={{ minWidth: `${columns.reduce((sum, { width }) => sum + width, 0)}em` }}>
        <colgroup>
          {columns.map(({ width, grows }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- columns stay where they are
            <col key={index} style={{ width: grows ? undefined : `${width}em` }} />
          ))}
        </colgroup>
        {pieces.map(({ text, offset, repeats }) => (
          <TableRows
            key={offset}
            text={text}
            offset={offset}
            repeats={repeats}
            budget={budget}
            columns={columns.length}
          />
        ))}
      </table>
    </section>
  )
}

const colouredWhileGrowing = 4000

interface MarkdownPartProps {
  pieces: Piece[]
  /** Whether its pieces are one table. */
  isTable: boolean
  /** Limits for the whole text. */
  budget: TextBudget
  /** Whether its last piece is still growing. */
  growing: boolean
  /** Whether it has been laid out once and won't change. The browser may then skip it while it is off screen. */
  settled: boolean
}

/** Several pieces of a text that are laid out together. */
const MarkdownPart = memo(function MarkdownPart(props: MarkdownPartProps) {
  const { pieces, isTable, budget, growing, settled } = props
  if (isTable)
    return (
      <div className={settled ? "part settled" : "part"}>
        <LongTable pieces={pieces} budget={budget} growing={growing} />
      </div>
    )
  return (
    <div className={settled ? "part settled" : "part"}>
      {pieces.map(({ text, offset }, index) => {
        const grows = growing && index === pieces.length - 1
        const coloured = !grows || text.length < colouredWhileGrowing
        // The key of a piece is its position in the text, which doesn't change while the text grows.
        return <MarkdownBlock key={offset} text={text} offset={offset} budget={budget} coloured={coloured} />
      })}
    </div>
  )
}, isSame)

function isSame(before: MarkdownPartProps, now: MarkdownPartProps): boolean {
  return (
    before.isTable === now.isTable &&
    before.growing === now.growing &&
    before.settled === now.settled &&
    before.pieces.length === now.pieces.length &&
    before.pieces.every((piece, index) => piece === now.pieces[index])
  )
}

interface MarkdownProps {
  text: string
  /** Whether more text will arrive. */
  growing?: boolean
}

/** Markdown from a model or a document, of any length. Finished pieces aren't rendered again while the text grows. */
export function Markdown({ text, growing = false }: MarkdownProps) {
  const [growingText] = useState(() => new GrowingText())
  const [budget] = useState(() => new TextBudget())
  const pieces = useDrawnSoFar(
    text.length,
    useCallback((cost: number) => growingText.pieces(text, cost), [growingText, text]),
  )
  const parts = groupIntoParts(pieces)
  return (
    <div className={growing ? "markdown growing" : "markdown"} dir="auto">
      {parts.map(({ pieces: partPieces, isTable }, index) => (
        <MarkdownPart
          key={partPieces[0]?.offset}
          pieces={partPieces}
          isTable={isTable}
          budget={budget}
          growing={growing && index === parts.length - 1}
          settled={index < parts.length - partsAtWork}
        />
      ))}
    </div>
  )
}

/** The rendering cost at which a part is full. */
const fullPart = 30_000
/** Number of parts at the end that may still change. */
const partsAtWork = 2

/** Maximum number of table pieces rendered as a single table. A longer table continues under another header. */
const maxPerTable = 150

interface Part {
  pieces: Piece[]
  /** Whether its pieces are one table. */
  isTable: boolean
}

/** Groups pieces that the browser lays out together. The groups don't change while the text grows. */
function groupIntoParts(pieces: Piece[]): Part[] {
  const parts: Part[] = []
  let cost = 0
  for (const [index, piece] of pieces.entries()) {
    const last = parts.at(-1)
    const isContinued = last?.isTable === true && piece.repeats > 0 && last.pieces.length < maxPerTable
    const isTable = (pieces[index + 1]?.repeats ?? 0) > 0
    if (last && (isContinued || (!last.isTable && !isTable && cost < fullPart))) {
      last.pieces.push(piece)
      cost += piece.cost
    } else {
      parts.push({ pieces: [piece], isTable })
      cost = piece.cost
    }
  }
  return parts
}
