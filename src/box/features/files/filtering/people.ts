import type { Correspondent } from "../../../parsers/parser.ts"

/** Maximum length of what is stored of a message's people. */
const maxStored = 64_000

/** Lower case without accents, so that `Müller`, `MULLER` and `muller` are the same. */
const fold = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

const splitWords = (text: string) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * Returns the column that keeps the senders and recipients of a message: a line for each, with the address, a tab, and the words of name
 * and address. Null if there are none.
 */
export function foldPeople(people: readonly Correspondent[]): string | null {
  const lines = new Set<string>()
  let length = 0
  for (const { name, address } of people) {
    const line = `${fold(address).replace(/[\s\p{Cc}]/gu, "")}\t${splitWords(`${name} ${address}`).join(" ")}`
    if (lines.has(line)) continue
    length += line.length + 1
    if (length > maxStored) break
    lines.add(line)
  }
  return lines.size === 0 ? null : [...lines].join("\n")
}

/** A sender or recipient to look for. */
export interface WantedPerson {
  /** Texts that the column contains if the person may be in it, for a first selection. */
  texts: string[]
  matches(column: string): boolean
}

/**
 * An address matches exactly. A name, or a part of an address, matches a person whose name or address has all of its words, in any order:
 * `anna rossi` finds `Rossi, Anna`, and `example.org` everyone there. Case and accents don't matter.
 */
export function toWantedPerson(wanted: string): WantedPerson {
  const address = fold(wanted).trim()
  if (/^\S+@\S+$/.test(address))
    return {
      texts: [`${address}\t`],
      matches: (column) => column.startsWith(`${address}\t`) || column.includes(`\n${address}\t`),
    }
  const words = splitWords(wanted)
  return {
    texts: words,
    matches: (column) =>
      words.length > 0 &&
      column.split("\n").some((line) => {
        const known = new Set(line.slice(line.indexOf("\t") + 1).split(" "))
        return words.every((word) => known.has(word))
      }),
  }
}
