/** Maximum length of a heading path in a location. */
const maxPathCharacters = 300

/** The headings above the current location, outermost first: "Guide › Install › Linux". */
export class HeadingPath {
  #open: { level: number; title: string }[] = []

  enter(level: number, title: string): void {
    this.#open = [...this.#open.filter((heading) => heading.level < level), { level, title }]
  }

  /** Returns the path as part of a location; empty before the first heading. */
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
