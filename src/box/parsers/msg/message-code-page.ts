import iconv from "iconv-lite"
import { getLanguageCodePage } from "../text/windows-language.ts"
import { property } from "./property-ids.ts"
import type { PropertyStore } from "./property-store.ts"

/** Unicode and ASCII, which don't indicate the encoding of a message's 8-bit text. */
const unspecific = new Set([1200, 65_001, 20_127])

/** Returns the code page of a message's 8-bit text: its declared one, otherwise the usual one of its language. */
export function getMessageCodePage(message: PropertyStore): string {
  for (const id of [property.messageCodePage, property.internetCodePage]) {
    const number = message.number(id)
    if (number === undefined || unspecific.has(number)) continue
    const name = encodingOfCodePage(number)
    if (name) return name
  }
  return getLanguageCodePage(message.number(property.language) ?? 0)
}

const encodingNames: Record<number, string> = {
  20_866: "koi8-r",
  21_866: "koi8-u",
  50_220: "iso-2022-jp",
  51_932: "euc-jp",
  51_949: "euc-kr",
  54_936: "gb18030",
  65_001: "utf-8",
}

function encodingOfCodePage(number: number): string | undefined {
  const iso = number > 28_590 && number < 28_606 ? `iso-8859-${number - 28_590}` : undefined
  const name = encodingNames[number] ?? iso ?? `cp${number}`
  return iconv.encodingExists(name) ? name : undefined
}
