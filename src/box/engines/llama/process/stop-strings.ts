/**
 * Ends a text before the first of the given stop strings. node-llama-cpp would re-tokenise the text before a stop string that starts within
 * a token, and would then spell a space as `▁` if the vocabulary has no token for it.
 */
export function createStopStrings(stops: readonly string[]) {
  let held = ""
  let found: string | null = null

  return {
    /** The string that ended the text; null if none has yet. */
    get found() {
      return found
    },

    /** Accepts the next text and returns the part that can be shown, without a possible start of a stop string. */
    take(text: string): string {
      if (found !== null) return ""
      held += text
      const first = firstIn(held, stops)
      if (first !== null) {
        found = first.stop
        return held.slice(0, first.at)
      }
      const shown = held.slice(0, held.length - unfinished(held, stops))
      held = held.slice(shown.length)
      return shown
    },

    /** Returns the text held back when the text ends here. */
    rest(): string {
      const rest = found === null ? held : ""
      held = ""
      return rest
    },
  }
}

/** Returns the stop string that is completed first and its position. If several are, the longest one. */
function firstIn(text: string, stops: readonly string[]): { stop: string; at: number } | null {
  let first: { stop: string; at: number } | null = null
  for (const stop of stops) {
    const at = stop === "" ? -1 : text.indexOf(stop)
    if (at < 0) continue
    const end = at + stop.length
    const firstEnd = first && first.at + first.stop.length
    if (first === null || firstEnd === null || end < firstEnd || (end === firstEnd && at < first.at))
      first = { stop, at }
  }
  return first
}

/** Number of characters at the end that may be the start of a stop string. */
function unfinished(text: string, stops: readonly string[]): number {
  let most = 0
  for (const stop of stops)
    for (let length = Math.min(stop.length - 1, text.length); length > most; length--)
      if (text.endsWith(stop.slice(0, length))) most = length
  return most
}
