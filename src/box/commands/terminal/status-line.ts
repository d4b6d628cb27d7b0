import { plainLine, plainText } from "./plain-text.ts"

const eraseLine = "\r\u001b[K"

/** Messages for the user that accompany an answer, on stderr. */
export interface StatusLine {
  /** Prints a line that stays. */
  say(text: string): void
  /** Shows the current activity in place of the previous one. Only terminals show it. */
  doing(text: string): void
  /** Clears the current activity. */
  done(): void
}

/** `shows`: whether the current activity may be drawn. */
export function createStatusLine(shows: boolean): StatusLine {
  let drawn = ""
  const done = () => {
    if (drawn !== "") process.stderr.write(eraseLine)
    drawn = ""
  }
  return {
    say(text) {
      done()
      process.stderr.write(`${plainText(text)}\n`)
    },
    doing(text) {
      if (!shows || text === drawn) return
      done()
      drawn = text
      process.stderr.write(plainLine(text).slice(0, Math.max(0, (process.stderr.columns ?? 80) - 1)))
    },
    done,
  }
}
