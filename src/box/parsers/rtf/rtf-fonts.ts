import iconv from "iconv-lite"

const codePageOfCharacterSet: Record<number, string> = {
  77: "macintosh",
  128: "cp932",
  129: "cp949",
  130: "cp949",
  134: "cp936",
  136: "cp950",
  161: "cp1253",
  162: "cp1254",
  163: "cp1258",
  177: "cp1255",
  178: "cp1256",
  186: "cp1257",
  204: "cp1251",
  222: "cp874",
  238: "cp1250",
  254: "cp437",
  255: "cp850",
}

/** The code page of each font in an RTF file. */
export class RtfFonts {
  /** For text whose font doesn't specify one. */
  defaultCodePage = "cp1252"
  defaultFont = 0
  readonly #codePages = new Map<number, string>()

  /** A `\fcharset` in the font table. */
  setCharacterSet(font: number, characterSet: number): void {
    const codePage = codePageOfCharacterSet[characterSet]
    if (codePage) this.#codePages.set(font, codePage)
  }

  /** A `\cpg` in the font table, or `\ansicpg` for the whole document. */
  setCodePage(font: number | undefined, number: number): void {
    const name = number === 10_000 ? "macintosh" : number === 65_001 ? "utf8" : `cp${number}`
    if (!iconv.encodingExists(name)) return
    if (font === undefined) this.defaultCodePage = name
    else this.#codePages.set(font, name)
  }

  decode(bytes: Buffer, font: number | undefined): string {
    return iconv.decode(bytes, this.#codePages.get(font ?? this.defaultFont) ?? this.defaultCodePage)
  }
}
