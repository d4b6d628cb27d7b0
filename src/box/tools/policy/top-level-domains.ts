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
export function isTopLevelDomain(ending: string): boolean {
  const lower = ending.toLowerCase()
  if (generic.has(lower)) return true
  return lower.length === 2 && !fileEndings.has(lower) && regions().of(lower.toUpperCase()) !== undefined
}
