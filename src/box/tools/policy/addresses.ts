import { isTopLevelDomain } from "./top-level-domains.ts"

/** An address as it is compared: without its fragment, which is never sent. What is no address compares to itself. */
export function comparableAddress(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.hash = ""
  return url.href
}

/** One address as somebody wrote it: all that it may stand for, each as `comparableAddress` writes it. */
export type NamedAddress = ReadonlySet<string>

const whole = /https?:\/\/[^\s<>"'`\\^{|}]+/giu
/** Without `https://`, and no part of a mail address or of a longer name. */
const bare = /(?<![\w@./-])(?:[a-z0-9-]+\.)+([a-z]{2,24})(?![\w@-]|\.\w)(?:\/[^\s<>"'`\\^{|}]*)?/giu
/** What may stand in an address, and more often ends one. */
const goesOn = /['`^{|}][^\s<>"]*/uy

/**
 * Addresses in the order in which people write them, at the end of a sentence or in brackets; after them those without
 * `https://`, which may be names of something else.
 */
export function namedAddresses(text: string): NamedAddress[] {
  const wholes = [...text.matchAll(whole)].map(formsOf)
  const rest = text.replace(/https?:\/\/[^\s<>"]+/giu, " ")
  const bares = [...rest.matchAll(bare)]
    .filter(([, domain = ""]) => isTopLevelDomain(domain))
    .map((match) => formsOf(match).flatMap((name) => [`https://${name}`, `http://${name}`]))
  return [...wholes, ...bares].map((forms) => new Set(forms.map(comparableAddress)))
}

/** Whole addresses that stand in any of the texts of a value, and those that it gives as a `url`. */
export function addressesIn(value: unknown): string[] {
  if (typeof value === "string") return [...value.matchAll(whole)].flatMap(formsOf).map(comparableAddress)
  if (typeof value !== "object" || value === null) return []
  const given = "url" in value && typeof value.url === "string" ? [comparableAddress(value.url)] : []
  return [...given, ...Object.values(value).flatMap(addressesIn)]
}

/** What was found, and what follows it up to the next space. */
function formsOf({ 0: found, index, input }: RegExpExecArray): string[] {
  goesOn.lastIndex = index + found.length
  const more = goesOn.exec(input)?.[0] ?? ""
  return [...new Set([...endings(found), ...(more === "" ? [] : endings(found + more))])]
}

/** Full stops, brackets and quotes at the end may each be the sentence's or the address's own. */
function endings(found: string): string[] {
  const forms = [found]
  while (/[.,;:!?)\]*_'`^{|}]$/.test(found)) forms.push((found = found.slice(0, -1)))
  return forms
}
