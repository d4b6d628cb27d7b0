import { t } from "i18next"
import {
  AlignmentType,
  BorderStyle,
  Document,
  ExternalHyperlink,
  HeadingLevel,
  type IRunOptions,
  LevelFormat,
  Packer,
  Paragraph,
  type ParagraphChild,
  ShadingType,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from "docx"
import type { List, PhrasingContent, RootContent, Table as MarkdownTable } from "mdast"
import { citedSources } from "../../../ui/markdown/citations.ts"
import { safeUrl } from "../../../ui/text/ForeignLink.tsx"
import { readMarkdown, extractText, type SavedAnswer, getOrigin } from "./read-answer.ts"

type Block = Paragraph | Table
type RunStyle = Omit<IRunOptions, "text" | "children">

/** The context of a block. */
interface Around {
  /** Depth of nested lists, from 0; undefined outside lists. */
  level?: number
  list?: { reference: string; instance: number }
  quoted?: true
}

const levels = 9
const headings = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
] as const
const code = { font: "Consolas" } satisfies RunStyle
const codeShade = { type: ShadingType.CLEAR, fill: "F2F2F2" }

/** Returns an answer as a Word document that ends with the cited sources. */
export function toWord({ title, text, sources }: SavedAnswer): Promise<Blob> {
  const writer = createWriter()
  const cited = citedSources(text, sources)
  const children = [
    new Paragraph({ heading: HeadingLevel.TITLE, children: [run(title)] }),
    ...readMarkdown(text).children.flatMap((node) => writer.block(node, {})),
  ]
  if (cited.length > 0)
    children.push(
      new Paragraph({ heading: HeadingLevel.HEADING_2, children: [run(t("saving:sources"))] }),
      ...cited.map(
        (source) => new Paragraph({ children: [run(`[${source.citation}] ${getOrigin(source)}`)] }),
      ),
    )
  return Packer.toBlob(new Document({ title: stripInvalidXml(title), numbering, sections: [{ children }] }))
}

const numbering = {
  config: [
    { reference: "numbers", format: LevelFormat.DECIMAL, text: (level: number) => `%${level + 1}.` },
    { reference: "bullets", format: LevelFormat.BULLET, text: () => "•" },
  ].map(({ reference, format, text }) => ({
    reference,
    levels: Array.from({ length: levels }, (_, level) => ({
      level,
      format,
      text: text(level),
      alignment: AlignmentType.START,
      style: { paragraph: { indent: { left: 360 * (level + 1), hanging: 360 } } },
    })),
  })),
}

const run = (text: string, textStyle: RunStyle = {}) =>
  new TextRun({ ...textStyle, text: stripInvalidXml(text) })

/** The library doesn't remove these characters, and Word refuses documents that contain them. */
const stripInvalidXml = (text: string) => text.replaceAll(/[\uFFFE\uFFFF]/g, "\uFFFD")

/** Each list starts its own numbering. */
function createWriter() {
  let lists = 0

  function block(node: RootContent, around: Around): Block[] {
    if (node.type === "heading") {
      const heading = headings[node.depth - 1] ?? HeadingLevel.HEADING_6
      return [new Paragraph({ heading, children: getRuns(node.children) })]
    }
    if (node.type === "paragraph") return [paragraph(getRuns(node.children), around)]
    if (node.type === "list") return list(node, around)
    if (node.type === "blockquote")
      return node.children.flatMap((child) => block(child, { ...around, quoted: true }))
    if (node.type === "code")
      return [new Paragraph({ shading: codeShade, children: lines(node.value, code) })]
    if (node.type === "table") return [getTable(node), new Paragraph({})]
    if (node.type === "thematicBreak")
      return [new Paragraph({ border: { bottom: { style: BorderStyle.SINGLE, size: 6, space: 1 } } })]
    const words = extractText(node)
    return words === "" ? [] : [paragraph(lines(words), around)]
  }

  function list({ ordered, children }: List, around: Around): Block[] {
    const level = Math.min((around.level ?? -1) + 1, levels - 1)
    const entry = { reference: ordered === true ? "numbers" : "bullets", instance: ++lists }
    return children.flatMap(({ children: blocks, checked }) =>
      blocks.flatMap((node, index) => {
        // Only the first block of a list item has its number or bullet.
        const own: Around = {
          level,
          ...(around.quoted && { quoted: true }),
          ...(index === 0 && { list: entry }),
        }
        if (index > 0 || typeof checked !== "boolean" || node.type !== "paragraph") return block(node, own)
        return [paragraph([run(checked ? "☑ " : "☐ "), ...getRuns(node.children)], own)]
      }),
    )
  }

  return { block }
}

function paragraph(children: ParagraphChild[], { level, list, quoted }: Around): Paragraph {
  const left = (level === undefined ? 0 : 360 * (level + 1)) + (quoted ? 360 : 0)
  return new Paragraph({
    children,
    spacing: { after: list ? 60 : 160 },
    ...(list && level !== undefined ? { numbering: { ...list, level } } : left > 0 && { indent: { left } }),
  })
}

const textStyles = {
  strong: { bold: true },
  emphasis: { italics: true },
  delete: { strike: true },
} as const satisfies Record<string, RunStyle>

function getRuns(nodes: readonly PhrasingContent[], textStyle: RunStyle = {}): ParagraphChild[] {
  return nodes.flatMap((node): ParagraphChild[] => {
    if (node.type === "strong" || node.type === "emphasis" || node.type === "delete")
      return getRuns(node.children, { ...textStyle, ...textStyles[node.type] })
    if (node.type === "inlineCode") return [run(node.value, { ...textStyle, ...code, shading: codeShade })]
    if (node.type === "break") return [new TextRun({ break: 1 })]
    if (node.type !== "link") return lines(extractText(node), textStyle)
    const url = safeUrl(node.url)
    const children = getRuns(node.children, url ? { ...textStyle, style: "Hyperlink" } : textStyle)
    return url ? [new ExternalHyperlink({ link: url.href, children })] : children
  })
}

/** Text runs, with line breaks where the text has them. */
const lines = (text: string, textStyle: RunStyle = {}): TextRun[] =>
  text.split("\n").map((line, index) => run(line, { ...textStyle, ...(index > 0 && { break: 1 }) }))

const getTable = ({ children }: MarkdownTable): Table =>
  new Table({
    width: { size: 100, type: WidthType.PERCENTAGE },
    rows: children.map(
      (row, index) =>
        new TableRow({
          tableHeader: index === 0,
          children: row.children.map(
            (cell) =>
              new TableCell({
                children: [
                  new Paragraph({ children: getRuns(cell.children, index === 0 ? { bold: true } : {}) }),
                ],
              }),
          ),
        }),
    ),
  })
