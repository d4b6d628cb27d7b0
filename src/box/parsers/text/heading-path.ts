/** Longest heading path that a location carries. */
const maxPathCharacters = 300

/** The headings above the current place, from the outermost: "Guide › Install › Linux". */
export class HeadingPath {
  #open: { level: number; title: string }[] = []

  enter(level: number, title: string): void {
    this.#open = [...this.#open.filter((heading) => heading.level < level), { level, title }]
  }

  /** As a part of a location: empty before the first heading. */
  get location(): { heading?: string } {
    if (this.#open.length === 0) return {}
    return {
      heading: this.#open
        .map(({ title }) => title)
        .join(" › ")
        .slice(0, maxPathCharacters),
    }
  }
}
