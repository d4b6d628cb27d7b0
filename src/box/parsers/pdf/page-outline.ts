import type { PageArea } from "../../../shared/contract/page-area.ts"
import { mergeAreas } from "../document/page-area.ts"
import { maxBlockCharacters } from "../parser.ts"
import type { Block } from "../parser.ts"
import { HeadingPath } from "../text/heading-path.ts"
import { splitText } from "../text/split-text.ts"
import type { PageLine } from "./pdf-page.ts"

/** PDFium's mark for a word that continues on the next line. */
const hyphenation = "\ufffe"
/** Lines further apart than this, in line heights, belong to different paragraphs. */
const paragraphDistance = 1.75
/** Minimum height of a heading, relative to most letters of the page. */
const headingHeight = 1.15
const maxHeadingLength = 200

interface Paragraph {
  text: string
  height: number
  area: PageArea | undefined
}

/** Finds the paragraphs and headings in the lines of successive pages. Sections continue from one page to the next. */
export class PageOutline {
  readonly #headings = new HeadingPath();

  *blocks(lines: readonly PageLine[], page: number): Generator<Block, void, undefined> {
    const body = commonHeight(lines)
    for (const { text, height, area } of paragraphs(lines)) {
      const isHeading =
        height >= body * headingHeight && text.length <= maxHeadingLength && /\p{L}{2}/u.test(text)
      // Taller letters mean a higher heading level.
      if (isHeading) this.#headings.enter(-Math.round(height), text.replaceAll("\n", " "))
      const location = { page, ...this.#headings.location }
      for (const part of splitText(text, maxBlockCharacters)) {
        if (part.trim() === "") continue
        const kind = isHeading ? "heading" : "paragraph"
        yield { kind, text: part.trim(), location, ...(area && { area }) }
      }
    }
  }
}

function* paragraphs(lines: readonly PageLine[]): Generator<Paragraph, void, undefined> {
  let open: Paragraph = { text: "", height: 0, area: undefined }
  let previous: PageLine | undefined
  for (const line of lines) {
    const text = clean(line.text)
    if (text.trim() === "") {
      previous = undefined
      continue
    }
    if (!previous || startsParagraph(previous, line)) {
      if (open.text !== "") yield finish(open)
      open = { text: "", height: getHeight(line), area: undefined }
    }
    const isHyphenated = open.text.endsWith(hyphenation)
    open.text = isHyphenated ? open.text.slice(0, -1) + text.trimStart() : `${open.text}\n${text}`
    open.area = mergeAreas(open.area, line.area)
    previous = line
  }
  if (open.text !== "") yield finish(open)
}

function startsParagraph(previous: PageLine, line: PageLine): boolean {
  if (previous.text.endsWith(hyphenation)) return false
  const height = Math.max(getHeight(previous), getHeight(line))
  const distance = previous.bottom - line.bottom
  if (Math.abs(distance) < height / 2) return false
  const resized = Math.abs(getHeight(previous) - getHeight(line)) > height * 0.12
  return resized || distance < 0 || distance > height * paragraphDistance
}

function finish({ text, ...rest }: Paragraph): Paragraph {
  return { text: text.replaceAll(hyphenation, "").trim(), ...rest }
}

/** Removes soft hyphens and control characters, and replaces ligatures with their letters. */
function clean(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\u00ad]/gu, "")
    .replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize("NFKC"))
    .trimEnd()
}

function getHeight({ top, bottom }: PageLine): number {
  return Math.abs(top - bottom)
}

/** Returns the height, in steps of half a point, of most characters on a page. */
function commonHeight(lines: readonly PageLine[]): number {
  const characters = new Map<number, number>()
  for (const line of lines) {
    const height = Math.round(getHeight(line) * 2) / 2
    characters.set(height, (characters.get(height) ?? 0) + line.text.trim().length)
  }
  let [common, most] = [0, 0]
  for (const [height, count] of characters) if (count > most) [common, most] = [height, count]
  return common
}
