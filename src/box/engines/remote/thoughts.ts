type Piece = { type: "text" | "reasoning"; text: string }

const opening = "<think>"
const closing = "</think>"
/** Maximum number of blanks before the opening tag. Any more are text. */
const maxBlanks = 100

export interface ThoughtSplitter {
  add(text: string): readonly Piece[]
  /** Ends the answer and returns the text held back. `isCut`: a length limit cut off the answer. */
  end(isCut: boolean): readonly Piece[]
  /** Whether the answer began with thoughts whose opening tag was in the prompt. Keeps the given value while the answer is empty. */
  readonly beganInThoughts: boolean
}

/**
 * Separates a model's thoughts from its text if a server leaves them there, between tags at the very start. Text that may still become a
 * tag is held back until it is clear.
 *
 * Some chat templates put the opening tag into the prompt, so the answer has only the closing one. Text sent before that tag stays text,
 * because only the tag shows that it was a thought; with `startsInThoughts` it is a thought from the start. If the closing tag never
 * arrives, all of it is sent as text as well. Either there were no thoughts, or the answer was cut off during them and would be empty for
 * anyone who sees only the text.
 */
export const createThoughtSplitter = (startsInThoughts = false): ThoughtSplitter =>
  new ThoughtParser(startsInThoughts)

class ThoughtParser implements ThoughtSplitter {
  readonly #startsInThoughts: boolean
  #state: "beginning" | "thoughts" | "after" | "text" | "rest" = "beginning"
  #held = ""
  /** Whether anything but blanks was sent as text, and whether its last line is blank so far. */
  #hasSentText = false
  #isLineBlank = true
  #unclosed: string | null
  #beganInThoughts = false
  /** The pieces that the current call returns. */
  #pieces: Piece[] = []

  constructor(startsInThoughts = false) {
    this.#startsInThoughts = startsInThoughts
    this.#unclosed = startsInThoughts ? "" : null
  }

  get beganInThoughts() {
    return this.#state === "beginning" ? this.#startsInThoughts : this.#beganInThoughts
  }

  add(text: string): readonly Piece[] {
    this.#held += text
    this.#next()
    return this.#taken()
  }

  #next(isWhole = false): void {
    if (this.#state === "beginning") return this.#beginning()
    if (this.#state === "thoughts") return this.#thoughts()
    if (this.#state === "text") return this.#text(isWhole)
    if (this.#state === "after") this.#held = this.#held.trimStart()
    if (this.#held === "") return
    this.#state = "rest"
    this.#pieces.push({ type: "text", text: this.#held })
    this.#held = ""
  }

  #beginning(): void {
    const text = this.#held.trimStart()
    if (opening.startsWith(text) && this.#held.length <= maxBlanks) return
    const isTagged = text.startsWith(opening)
    this.#state = isTagged || this.#startsInThoughts ? "thoughts" : "text"
    if (isTagged) {
      this.#held = text.slice(opening.length)
      this.#unclosed = null
    }
    this.#next()
  }

  #thoughts(): void {
    const end = this.#held.indexOf(closing)
    const until = end === -1 ? this.#held.length - partOfTagAtEnd(this.#held) : end
    if (this.#unclosed !== null) this.#unclosed += this.#held.slice(0, until)
    if (until > 0) this.#pieces.push({ type: "reasoning", text: this.#held.slice(0, until) })
    this.#held = this.#held.slice(end === -1 ? until : end + closing.length)
    if (end === -1) return
    this.#beganInThoughts = this.#unclosed !== null
    this.#unclosed = null
    this.#state = "after"
    this.#next()
  }

  /** Text that may still be followed by a closing tag without an opening one. */
  #text(isWhole: boolean): void {
    const opens = this.#held.indexOf(opening)
    const closes = this.#held.indexOf(closing)
    if (opens !== -1 && (closes === -1 || opens < closes)) {
      this.#state = "rest"
      return this.#next()
    }
    if (closes === -1) {
      const until = this.#held.length - (isWhole ? 0 : partOfTagAtEnd(this.#held))
      this.#say(this.#held.slice(0, until))
      this.#held = this.#held.slice(until)
      return
    }
    const before = this.#held.slice(0, closes)
    const after = this.#held.slice(closes + closing.length)
    const isOnOwnLine = endsInBlankLine(before, this.#isLineBlank) || /^[ \t]*\n/.test(after)
    // It isn't clear whether a line ends after the tag until more text arrives.
    if (!isOnOwnLine && after.trim() === "" && !isWhole) return
    this.#state = "rest"
    if (!isOnOwnLine && after.trim() !== "") return this.#next()
    this.#beganInThoughts = true
    if (!this.#hasSentText) {
      if (before.trim() !== "") this.#pieces.push({ type: "reasoning", text: before })
      this.#state = "after"
    } else this.#say(before)
    this.#held = after
    this.#next()
  }

  #say(text: string): void {
    if (text === "") return
    this.#hasSentText ||= text.trim() !== ""
    this.#isLineBlank = endsInBlankLine(text, this.#isLineBlank)
    this.#pieces.push({ type: "text", text })
  }

  #taken(): readonly Piece[] {
    const complete = this.#pieces
    this.#pieces = []
    return complete
  }

  end(isCut: boolean): readonly Piece[] {
    if (this.#state === "text") this.#next(true)
    if (this.#held !== "" && this.#state !== "after")
      this.#pieces.push({ type: this.#state === "thoughts" ? "reasoning" : "text", text: this.#held })
    if (this.#state === "thoughts" && this.#unclosed !== null) {
      this.#pieces.push({ type: "text", text: this.#unclosed + this.#held })
      this.#beganInThoughts = isCut // the closing tag may only have been cut off
    }
    this.#held = ""
    return this.#taken()
  }
}

/** Number of characters at the end of a text that may be the start of a tag. */
function partOfTagAtEnd(text: string): number {
  const start = text.lastIndexOf("<")
  if (start === -1) return 0
  const end = text.slice(start)
  return opening.startsWith(end) || closing.startsWith(end) ? text.length - start : 0
}

function endsInBlankLine(text: string, wasBlank: boolean): boolean {
  const lineBreak = text.lastIndexOf("\n")
  return text.slice(lineBreak + 1).trim() === "" && (wasBlank || lineBreak !== -1)
}
