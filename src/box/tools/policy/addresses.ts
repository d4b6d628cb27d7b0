import { lazy } from "../../core/lazy.ts"

const regions = lazy(() => new Intl.DisplayNames("en", { type: "region", fallback: "none" }))
/** Country-code domains that are also common file extensions. */
const fileEndings = new Set("cc cs md mk pl ps py rs sh so tf vb".split(" "))
const generic = new Set(
  (
    "com net org info biz edu gov mil int name pro mobi eu uk asia cat coop aero museum jobs travel tel " +
    "app dev cloud online site store shop tech blog news wiki xyz club live life world agency company digital media studio " +
    "design email network systems solutions software games health bank law finance energy space website page art music " +
    "film tv radio today guide events social community foundation institute academy school university africa berlin " +
    // reserved for documentation
    "london paris roma milano bayern wien hamburg example"
  ).split(" "),
)

/** Whether a name with this ending is more likely a site than a file. */
function isTopLevelDomain(ending: string): boolean {
  const lower = ending.toLowerCase()
  if (generic.has(lower)) return true
  return lower.length === 2 && !fileEndings.has(lower) && regions().of(lower.toUpperCase()) !== undefined
}

/** Normalises an address for comparison: removes its fragment, which is never sent. Text that isn't an address is returned unchanged. */
export function toComparableAddress(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.hash = ""
  return url.href
}

/** One address as written in a text: all the forms it may stand for, each as `toComparableAddress` returns it. */
export type NamedAddress = ReadonlySet<string>

const whole = /https?:\/\/[^\s<>"'`\\^{|}]+/giu
/** An address without `https://` that isn't part of an email address or a longer name. */
const bare = /(?<![\w@./-])(?:[a-z0-9-]+\.)+([a-z]{2,24})(?![\w@-]|\.\w)(?:\/[^\s<>"'`\\^{|}]*)?/giu
/** Characters that are allowed in an address but more often end it. */
const addressContinuation = /['`^{|}][^\s<>"]*/uy

/**
 * Returns the addresses in a text, in order, even at the end of a sentence or in brackets. Addresses without `https://`, which may be names
 * of something else, come last.
 */
export function findNamedAddresses(text: string): NamedAddress[] {
  const wholes = [...text.matchAll(whole)].map(getForms)
  const rest = text.replace(/https?:\/\/[^\s<>"]+/giu, " ")
  const bares = [...rest.matchAll(bare)]
    .filter(([, domain = ""]) => isTopLevelDomain(domain))
    .map((match) => getForms(match).flatMap((name) => [`https://${name}`, `http://${name}`]))
  return [...wholes, ...bares].map((forms) => new Set(forms.map(toComparableAddress)))
}

/** Returns the full addresses in any text of a value, and those in a `url` property. */
export function listAddresses(value: unknown): string[] {
  if (typeof value === "string") return [...value.matchAll(whole)].flatMap(getForms).map(toComparableAddress)
  if (typeof value !== "object" || value === null) return []
  const given = "url" in value && typeof value.url === "string" ? [toComparableAddress(value.url)] : []
  return [...given, ...Object.values(value).flatMap(listAddresses)]
}

/** Returns the match, and the match extended to the next space. */
function getForms({ 0: found, index, input }: RegExpExecArray): string[] {
  addressContinuation.lastIndex = index + found.length
  const more = addressContinuation.exec(input)?.[0] ?? ""
  return [...new Set([...endings(found), ...(more === "" ? [] : endings(found + more))])]
}

/** Full stops, brackets and quotes at the end may belong to the sentence or to the address. */
function endings(found: string): string[] {
  const forms = [found]
  while (/[.,;:!?)\]*_'`^{|}]$/.test(found)) forms.push((found = found.slice(0, -1)))
  return forms
}
