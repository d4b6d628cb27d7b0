import { contentLines, splitFields, unescapeText, type ContentLine } from "../calendar/content-lines.ts"
import { describeDay } from "../calendar/calendar-dates.ts"
import { failure, type Parser } from "../parser.ts"
import { FlowOutline } from "../text/flow-outline.ts"

/** Pictures, sounds and keys say nothing in words. */
const skippedNames = ["PHOTO", "LOGO", "SOUND", "KEY"]
const maxPropertiesPerContact = 1_000

/** Reads contacts: vCard 2.1, 3.0 (RFC 2426) and 4.0 (RFC 6350), also many in one file. */
export const vcf: Parser = {
  async *parse({ file }, context) {
    let contact: ContentLine[] | undefined
    let count = 0
    const lines = contentLines(file, context, new Map(skippedNames.map((name) => [name, 100])))
    for await (const line of lines) {
      const isEdge = line.value.trim().toUpperCase() === "VCARD"
      if (line.name === "BEGIN" && isEdge) {
        if (contact) yield* contactBlocks(contact) // Its end is missing.
        contact = []
        count++
      } else if (line.name === "END" && isEdge) {
        if (contact) yield* contactBlocks(contact)
        contact = undefined
      } else if (contact && contact.length < maxPropertiesPerContact && !skippedNames.includes(line.name))
        contact.push(line)
    }
    if (contact) yield* contactBlocks(contact)
    if (count === 0) throw failure("not_contacts")
  },
}

function contactBlocks(lines: readonly ContentLine[]) {
  const outline = new FlowOutline()
  const all = (name: string) => lines.filter((line) => line.name === name)
  const texts = (name: string) =>
    all(name)
      .map(({ value }) => unescapeText(value))
      .filter((text) => text !== "")
  const [family = "", given = "", middle = "", prefix = "", suffix = ""] = splitFields(
    all("N")[0]?.value ?? "",
    ";",
  )
  const fullName = [prefix, given, middle, family, suffix].filter((part) => part !== "").join(" ")
  const organisations = all("ORG").map(({ value }) => join(splitFields(value, ";")))
  const emails = texts("EMAIL")
  const displayName = texts("FN")[0] ?? (fullName || organisations[0] || emails[0] || "")
  outline.heading(1, displayName)
  const labels = new Map(all("X-ABLABEL").map(({ group, value }) => [group, getLabel(value)]))
  const described = (label: string, name: string, getText: (line: ContentLine) => string) =>
    all(name).map((line): [string, string] => {
      const kinds = getKinds(line, labels)
      return [kinds === "" ? label : `${label} (${kinds})`, getText(line)]
    })
  const plain = ({ value }: ContentLine) => unescapeText(value).replace(/^(tel|mailto):/i, "")
  const rows: [label: string, value: string][] = [
    ["Name", fullName === displayName ? "" : fullName],
    ["Nickname", texts("NICKNAME").join(", ")],
    ["Organisation", organisations.join("; ")],
    ["Title", texts("TITLE").join("; ")],
    ["Role", texts("ROLE").join("; ")],
    ...described("Phone", "TEL", plain),
    ...described("Email", "EMAIL", plain),
    ...described("Message", "IMPP", plain),
    ...described("Address", "ADR", ({ value }) => join(splitFields(value, ";"))),
    ["Website", texts("URL").join(", ")],
    ["Birthday", all("BDAY").map(getDay).join(", ")],
    ["Anniversary", [...all("ANNIVERSARY"), ...all("X-ANNIVERSARY")].map(getDay).join(", ")],
    ...described("Related", "RELATED", plain),
    ...described("Related", "X-ABRELATEDNAMES", plain),
    ["Members", texts("MEMBER").join(", ")],
    [
      "Categories",
      all("CATEGORIES")
        .flatMap(({ value }) => splitFields(value, ","))
        .join(", "),
    ],
  ]
  outline.paragraph(
    rows
      .filter(([, value]) => value.trim() !== "")
      .map(([label, value]) => `${label}: ${value.replaceAll("\n", ", ")}`)
      .join("\n"),
  )
  for (const note of texts("NOTE")) outline.paragraph(note)
  return outline.take()
}

const join = (parts: readonly string[]): string => parts.filter((part) => part !== "").join(", ")

/** Apple writes its own labels as `_$!<Mother>!$_`. */
const getLabel = (value: string): string => unescapeText(value).replace(/^_\$!<(.*)>!\$_$/, "$1")

const silentKinds = new Set(["pref", "internet", "voice", "x-internet"])

/** Returns what a number or address is for, such as "work, fax". */
function getKinds({ group, parameters }: ContentLine, labels: ReadonlyMap<string, string>): string {
  const label = group === "" ? undefined : labels.get(group)
  if (label !== undefined && label !== "") return label
  const kinds = (parameters.get("TYPE") ?? [])
    .flatMap((kind) => kind.toLowerCase().split(","))
    .filter((kind) => !silentKinds.has(kind))
  return [...new Set(kinds)].join(", ")
}

/** Returns a day in words and in ISO 8601; its text if it isn't a full date. */
function getDay({ value }: ContentLine): string {
  const [, year, month, day] = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(value.trim()) ?? []
  const isFull = year !== undefined && month !== undefined && day !== undefined
  return (isFull && describeDay({ year: +year, month: +month, day: +day }, "en")) || unescapeText(value)
}
