/**
 * Ends a text before the first of some strings. node-llama-cpp would make new tokens of what comes before a string that begins
 * within a token, which spell a space as `▁` where the vocabulary has no token for one.
 */
export function createStopStrings(stops: readonly string[]) {
  let held = ""
  let found: string | null = null

  return {
    /** The string that ended the text; null while none has. */
    get found() {
      return found
    },

    /** Text that comes next; returns what can be shown: nothing that may begin one of the strings. */
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

    /** What was held back of a text that ends here. */
    rest(): string {
      const rest = found === null ? held : ""
      held = ""
      return rest
    },
  }
}

/** The string that is complete first, and where it begins; of several the longest. */
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

/** Characters at the end that one of the strings may begin with. */
function unfinished(text: string, stops: readonly string[]): number {
  let most = 0
  for (const stop of stops)
    for (let length = Math.min(stop.length - 1, text.length); length > most; length--)
      if (text.endsWith(stop.slice(0, length))) most = length
  return most
}
