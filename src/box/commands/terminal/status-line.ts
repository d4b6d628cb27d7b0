import { plainLine, plainText } from "./plain-text.ts"

const eraseLine = "\r\u001b[K"

/** What people are told beside an answer, on stderr. */
export interface Asides {
  /** Something that stays. */
  say(text: string): void
  /** What is being done; takes the place of what was being done before. Only terminals get it. */
  doing(text: string): void
  /** Nothing is being done any more. */
  done(): void
}

/** `shows`: whether what is being done may be drawn. */
export function createAsides(shows: boolean): Asides {
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
