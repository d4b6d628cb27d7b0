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

/** Senders and recipients to look for, any of whom may be in a message. */
export interface WantedPeople {
  /** For each of them, texts that the column contains if the person may be in it; for a first selection. */
  texts: string[][]
  /** Looks each person of a column up, so the time doesn't depend on how many are wanted. */
  matches(column: string): boolean
}

/**
 * An address matches exactly. A name, or a part of an address, matches a person whose name or address has all of its words, in any order:
 * `anna rossi` finds `Rossi, Anna`, and `example.org` everyone there. Case and accents don't matter.
 */
export function toWantedPeople(wanted: readonly string[]): WantedPeople {
  const addresses = new Set<string>()
  /** Words of each name, by one of them. */
  const names = new Map<string, string[][]>()
  const texts: string[][] = []
  for (const one of wanted) {
    const address = fold(one).trim()
    if (/^\S+@\S+$/.test(address)) {
      addresses.add(address)
      texts.push([`${address}\t`])
      continue
    }
    const words = splitWords(one)
    const [first] = words.toSorted((a, b) => b.length - a.length)
    if (first === undefined) continue
    names.set(first, [...(names.get(first) ?? []), words])
    texts.push(words)
  }
  const hasName = (words: readonly string[]) =>
    words.some((word) => names.get(word)?.some((name) => name.every((each) => words.includes(each))))
  return {
    texts,
    matches: (column) =>
      column.split("\n").some((line) => {
        const end = line.indexOf("\t")
        return (
          addresses.has(line.slice(0, Math.max(0, end))) ||
          (names.size > 0 && hasName(line.slice(end + 1).split(" ")))
        )
      }),
  }
}
