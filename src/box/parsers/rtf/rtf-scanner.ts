/** The elements of an RTF file. */
export interface RtfHandler {
  begin(): void
  end(): void
  /** A control word such as `\par` or `\fs24`. */
  word(name: string, parameter: number | undefined): void
  /** A control symbol such as `\~`, by its character code. */
  symbol(code: number): void
  /** Plain text, or a character given by `\'`, in the font's code page. */
  text(bytes: Buffer): void
  /** Bytes that aren't text, after `\bin`. */
  binary(bytes: Buffer): void
}

const backslash = 0x5c
const open = 0x7b
const close = 0x7d
/** Maximum length of a control word with its number and the following space. */
const maxControlBytes = 64

/** Splits RTF (version 1.9.1) into tokens. It accepts chunks. */
export class RtfScanner {
  readonly #handler: RtfHandler
  #rest: Buffer = Buffer.alloc(0)
  #binary = 0

  constructor(handler: RtfHandler) {
    this.#handler = handler
  }

  feed(chunk: Buffer): void {
    this.#scan(this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk, false)
  }

  end(): void {
    this.#scan(this.#rest, true)
  }

  #scan(bytes: Buffer, final: boolean): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#binary > 0) {
        const skipped = Math.min(this.#binary, bytes.length - at)
        this.#binary -= skipped
        this.#handler.binary(bytes.subarray(at, at + skipped))
        at += skipped
        continue
      }
      const byte = bytes[at] ?? 0
      if (byte === backslash) {
        if (!final && bytes.length - at < maxControlBytes) break
        at = this.#control(bytes, at + 1)
      } else if (byte === open) {
        this.#handler.begin()
        at++
      } else if (byte === close) {
        this.#handler.end()
        at++
      } else {
        const end = endOfText(bytes, at)
        if (end > at) this.#handler.text(bytes.subarray(at, end))
        at = Math.max(end, at + 1)
      }
    }
    this.#rest = Buffer.from(bytes.subarray(at))
  }

  /** Reads the text after a backslash and returns where the next token starts. */
  #control(bytes: Buffer, start: number): number {
    const first = bytes[start]
    if (first === undefined) return start
    if (!isLetter(first)) {
      if (first !== 0x27) {
        this.#handler.symbol(first)
        return start + 1
      }
      const code = Number.parseInt(bytes.toString("latin1", start + 1, start + 3), 16)
      if (!Number.isNaN(code)) this.#handler.text(Buffer.of(code))
      return Math.min(start + 3, bytes.length)
    }
    let end = start
    while (end - start < 32 && isLetter(bytes[end] ?? 0)) end++
    let numberEnd = bytes[end] === 0x2d ? end + 1 : end
    const digits = numberEnd
    while (numberEnd - digits < 10 && isDigit(bytes[numberEnd] ?? 0)) numberEnd++
    const name = bytes.toString("latin1", start, end)
    const parameter = numberEnd > digits ? Number(bytes.toString("latin1", end, numberEnd)) : undefined
    let next = parameter === undefined ? end : numberEnd
    if (bytes[next] === 0x20) next++
    if (name === "bin") this.#binary = Math.max(0, parameter ?? 0)
    else this.#handler.word(name, parameter)
    return next
  }
}

/** Line endings and zeros only separate texts. */
function endOfText(bytes: Buffer, start: number): number {
  let end = start
  for (; end < bytes.length; end++) {
    const byte = bytes[end]
    if (byte === backslash || byte === open || byte === close || byte === 10 || byte === 13 || byte === 0)
      break
  }
  return end
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
