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
export function createThoughtSplitter(startsInThoughts = false): ThoughtSplitter {
  let state: "beginning" | "thoughts" | "after" | "text" | "rest" = "beginning"
  let held = ""
  /** Whether anything but blanks was sent as text, and whether its last line is blank so far. */
  let hasSentText = false
  let isLineBlank = true
  let unclosed: string | null = startsInThoughts ? "" : null
  let beganInThoughts = false

  /** The pieces that the current call returns. */
  let pieces: Piece[] = []

  function taken(): readonly Piece[] {
    const complete = pieces
    pieces = []
    return complete
  }

  function beginning(): void {
    const text = held.trimStart()
    if (opening.startsWith(text) && held.length <= maxBlanks) return
    const isTagged = text.startsWith(opening)
    state = isTagged || startsInThoughts ? "thoughts" : "text"
    if (isTagged) {
      held = text.slice(opening.length)
      unclosed = null
    }
    next()
  }

  function thoughts(): void {
    const end = held.indexOf(closing)
    const until = end === -1 ? held.length - partOfTagAtEnd(held) : end
    if (unclosed !== null) unclosed += held.slice(0, until)
    if (until > 0) pieces.push({ type: "reasoning", text: held.slice(0, until) })
    held = held.slice(end === -1 ? until : end + closing.length)
    if (end === -1) return
    beganInThoughts = unclosed !== null
    unclosed = null
    state = "after"
    next()
  }

  /** Text that may still be followed by a closing tag without an opening one. */
  function text(isWhole: boolean): void {
    const opens = held.indexOf(opening)
    const closes = held.indexOf(closing)
    if (opens !== -1 && (closes === -1 || opens < closes)) {
      state = "rest"
      return next()
    }
    if (closes === -1) {
      const until = held.length - (isWhole ? 0 : partOfTagAtEnd(held))
      say(held.slice(0, until))
      held = held.slice(until)
      return
    }
    const before = held.slice(0, closes)
    const after = held.slice(closes + closing.length)
    const isOnOwnLine = endsInBlankLine(before, isLineBlank) || /^[ \t]*\n/.test(after)
    // It isn't clear whether a line ends after the tag until more text arrives.
    if (!isOnOwnLine && after.trim() === "" && !isWhole) return
    state = "rest"
    if (!isOnOwnLine && after.trim() !== "") return next()
    beganInThoughts = true
    if (!hasSentText) {
      if (before.trim() !== "") pieces.push({ type: "reasoning", text: before })
      state = "after"
    } else say(before)
    held = after
    next()
  }

  function say(text: string): void {
    if (text === "") return
    hasSentText ||= text.trim() !== ""
    isLineBlank = endsInBlankLine(text, isLineBlank)
    pieces.push({ type: "text", text })
  }

  function next(isWhole = false): void {
    if (state === "beginning") return beginning()
    if (state === "thoughts") return thoughts()
    if (state === "text") return text(isWhole)
    if (state === "after") held = held.trimStart()
    if (held === "") return
    state = "rest"
    pieces.push({ type: "text", text: held })
    held = ""
  }

  return {
    get beganInThoughts() {
      return state === "beginning" ? startsInThoughts : beganInThoughts
    },
    add(text) {
      held += text
      next()
      return taken()
    },
    end(isCut) {
      if (state === "text") next(true)
      if (held !== "" && state !== "after")
        pieces.push({ type: state === "thoughts" ? "reasoning" : "text", text: held })
      if (state === "thoughts" && unclosed !== null) {
        pieces.push({ type: "text", text: unclosed + held })
        beganInThoughts = isCut // the closing tag may only have been cut off
      }
      held = ""
      return taken()
    },
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
