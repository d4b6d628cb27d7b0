import { lazy } from "../../core/lazy.ts"

const sentences = lazy(() => new Intl.Segmenter("und", { granularity: "sentence" }))

export interface Part {
  text: string
  /** Start of the part in the original text, including the overlap. */
  start: number
}

/**
 * Cuts a text into parts of at most `size` characters, at the ends of sentences or lines if there are any. Each part repeats the last tenth
 * of the previous one, so that text at a cut is found whole.
 */
export function splitLong(text: string, size: number, at: "sentence" | "line"): Part[] {
  const overlap = Math.round(size / 10)
  const parts: Part[] = []
  let start = 0
  let end = 0
  const close = () => {
    parts.push({ text: text.slice(start, end), start })
    start = overlapStart(text, Math.max(start, end - overlap), end, at)
  }
  for (const unit of units(text, size - overlap, at)) {
    if (end + unit.length - start > size && end > start) close()
    end += unit.length
  }
  parts.push({ text: text.slice(start, end), start })
  return parts
}

/** Sentences or lines with their separators. Those that are too long are cut at a space if possible. */
function* units(text: string, limit: number, at: "sentence" | "line"): Generator<string> {
  const whole =
    at === "line" ? text.split(/(?<=\n)/) : Array.from(sentences().segment(text), ({ segment }) => segment)
  for (let unit of whole) {
    while (unit.length > limit) {
      const space = unit.lastIndexOf(" ", limit)
      const cut = avoidSurrogateSplit(unit, space > limit / 2 ? space + 1 : limit)
      yield unit.slice(0, cut)
      unit = unit.slice(cut)
    }
    yield unit
  }
}

/** The first start of a line or word within the overlap. */
function overlapStart(text: string, from: number, end: number, at: "sentence" | "line"): number {
  const border = text.indexOf(at === "line" ? "\n" : " ", from)
  if (border >= 0 && border + 1 < end) return border + 1
  return at === "line" ? end : avoidSurrogateSplit(text, from)
}

/** Steps back from the middle of a surrogate pair. */
function avoidSurrogateSplit(text: string, position: number): number {
  const unit = text.charCodeAt(position)
  return unit >= 0xdc00 && unit <= 0xdfff ? position - 1 : position
}
