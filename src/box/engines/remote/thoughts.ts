type Piece = { type: "text" | "reasoning"; text: string }

const opening = "<think>"
const closing = "</think>"
/** Blanks before the opening tag; more of them are text. */
const mostBlanks = 100

/**
 * Tells a model's thoughts from its text where a server leaves them in it, between tags at its very beginning. What may
 * still become a tag is held back until it is one or not.
 */
export function createThoughtSplitter() {
  let place: "beginning" | "thoughts" | "after" | "text" = "beginning"
  let held = ""

  function* beginning(): Generator<Piece> {
    const text = held.trimStart()
    if (opening.startsWith(text) && held.length <= mostBlanks) return
    place = text.startsWith(opening) ? "thoughts" : "text"
    if (place === "thoughts") held = text.slice(opening.length)
    yield* said()
  }

  function* thoughts(): Generator<Piece> {
    const end = held.indexOf(closing)
    const until = end === -1 ? held.length - partOfTagAtEnd(held) : end
    if (until > 0) yield { type: "reasoning", text: held.slice(0, until) }
    held = held.slice(end === -1 ? until : end + closing.length)
    if (end === -1) return
    place = "after"
    yield* said()
  }

  function* said(): Generator<Piece> {
    if (place === "beginning") return yield* beginning()
    if (place === "thoughts") return yield* thoughts()
    if (place === "after") held = held.trimStart()
    if (held === "") return
    place = "text"
    yield { type: "text", text: held }
    held = ""
  }

  return {
    *add(text: string): Generator<Piece> {
      held += text
      yield* said()
    },
    /** What is still held back, once nothing more comes. */
    *end(): Generator<Piece> {
      if (held !== "" && place !== "after")
        yield { type: place === "thoughts" ? "reasoning" : "text", text: held }
      held = ""
    },
  }
}

/** Characters at the end of a text that the closing tag may begin with. */
function partOfTagAtEnd(text: string): number {
  const start = text.lastIndexOf("<")
  return start !== -1 && closing.startsWith(text.slice(start)) ? text.length - start : 0
}
