import type { Outline, OutlineEntry } from "../../../shared/contract/facts.ts"
import type { Block } from "../parser.ts"

const maxEntries = 1000
const maxTitleLength = 200

/** Collects the headings of a document. Without headings, it lists the pages, slides or sheets by the first text of each. */
export function createOutline() {
  const headings = createEntries()
  const outlineEntries = createEntries()
  const seen = new Set<string>()
  let of: Outline["of"] | undefined

  return {
    visit({ kind, text, location }: Block, block: number): void {
      if (text.trim() === "") return
      const sentence = shortenTitle(text)
      if (kind === "heading")
        headings.add({ title: sentence, level: getLevel(location, text), block, location, sentence })
      const { page, slide, sheet } = location
      const unit = page ?? slide ?? sheet
      if (unit === undefined || seen.size > maxEntries || seen.has(String(unit))) return
      seen.add(String(unit))
      of ??= page !== undefined ? "pages" : slide !== undefined ? "slides" : "sheets"
      outlineEntries.add({
        title: of === "sheets" && sheet ? sheet : sentence,
        level: 1,
        block,
        location,
        sentence,
      })
    },

    get outline(): Outline {
      const hasHeadings = headings.entries.length > 0 || of === undefined
      const { entries, truncated } = hasHeadings ? headings : outlineEntries
      return { of: hasHeadings ? "headings" : (of ?? "pages"), entries, truncated }
    },
  }
}

/** Collects entries up to the maximum for an outline. */
function createEntries() {
  const entries: OutlineEntry[] = []
  let truncated = false
  return {
    entries,
    get truncated() {
      return truncated
    },
    add(entry: OutlineEntry): void {
      if (entries.length < maxEntries) entries.push(entry)
      else truncated = true
    },
  }
}

/** A heading is below the others in its path, "Guide › Install", and below the path of a member in its archive. */
function getLevel({ heading, entry }: Block["location"], text: string): number {
  const level = heading?.split(" › ").length ?? 1
  return entry === undefined || text === entry ? level : level + 1
}

const shortenTitle = (text: string) => text.trim().replaceAll(/\s+/g, " ").slice(0, maxTitleLength)
