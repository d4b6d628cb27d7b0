import { noteSkipped } from "../document/left-out-parts.ts"
import {
  addMinutes,
  describeMoment,
  describePeriod,
  parseDuration,
  parseTime,
  toUniversalTime,
  type CalendarTime,
} from "../calendar/calendar-dates.ts"
import { calendarWords, describeMoments, describeRule } from "../calendar/calendar-words.ts"
import { contentLines, splitFields, unescapeText, type ContentLine } from "../calendar/content-lines.ts"
import { person } from "../mail/mail-text.ts"
import {
  failure,
  maxPeople,
  ParseFailure,
  type Block,
  type Correspondent,
  type ParseContext,
  type Parser,
} from "../parser.ts"
import { FlowOutline, withinHeading } from "../text/flow-outline.ts"

const components = new Set(["VEVENT", "VTODO", "VJOURNAL"])
const maxPropertiesPerComponent = 10_000
/** Maximum bytes of an attachment in base64: 32 MB. */
const maxAttachmentBytes = Math.ceil(2 ** 25 / 3) * 4

/** Reads calendars (RFC 5545, and vCalendar 1.0): events, to-dos and journal entries. */
export const ics: Parser = {
  async *parse({ file }, context) {
    const open: string[] = []
    const calendar = { title: "", isCancelled: false }
    let item: ContentLine[] | undefined
    let isCalendar = false
    for await (const line of contentLines(file, context, new Map([["ATTACH", maxAttachmentBytes]]))) {
      const component = line.value.trim().toUpperCase()
      if (line.name === "BEGIN") {
        if (component === "VCALENDAR") {
          open.length = 0
          isCalendar = true
          Object.assign(calendar, { title: "", isCancelled: false })
        }
        if (open.length < 10) open.push(component)
        if (components.has(component)) item = []
      } else if (line.name === "END") {
        open.length = Math.max(0, open.lastIndexOf(component))
        if (item && components.has(component)) {
          yield* itemBlocks(item, component, calendar, context)
          item = undefined
        }
      } else if (item && components.has(open.at(-1) ?? "")) {
        if (item.length < maxPropertiesPerComponent) item.push(line)
      } else if (open.length <= 1) {
        if (line.name === "METHOD") calendar.isCancelled = component === "CANCEL"
        else if (line.name === "X-WR-CALNAME" || line.name === "NAME") {
          calendar.title = unescapeText(line.value).slice(0, 200)
        } else if (line.name === "X-WR-CALDESC" || line.name === "DESCRIPTION") {
          const outline = new FlowOutline()
          outline.heading(0, calendar.title)
          outline.paragraph(unescapeText(line.value))
          yield* outline.take()
        }
      }
    }
    // The end of the file is missing.
    if (item) yield* itemBlocks(item, open.at(-1) ?? "", calendar, context)
    if (!isCalendar) throw failure("not_calendar")
  },
}

interface Calendar {
  title: string
  isCancelled: boolean
}

async function* itemBlocks(
  lines: readonly ContentLine[],
  component: string,
  calendar: Calendar,
  context: ParseContext,
): AsyncGenerator<Block, void, undefined> {
  const title = describeItem(lines, component, calendar.isCancelled)
  context.describe({ ...getDate(lines), people: lines.flatMap(getCorrespondent) })
  for (const block of title.blocks) yield withinHeading(calendar.title, block)
  for (const line of lines) {
    if (line.name !== "ATTACH" || !isInline(line)) continue
    const name = (line.parameters.get("FILENAME") ?? line.parameters.get("X-FILENAME"))?.[0] ?? "attachment"
    try {
      const document = { name, bytes: Buffer.from(line.value, "base64") }
      for await (const block of context.embedded(document))
        yield withinHeading(title.text, withinHeading(name, block))
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error
      noteSkipped(context, name, error)
    }
  }
}

/** Returns when an event starts or a to-do is due. */
function getDate(lines: readonly ContentLine[]): { date?: Date } {
  const line = lines.find(({ name }) => name === "DTSTART") ?? lines.find(({ name }) => name === "DUE")
  const time = line && parseTime(line)
  return time ? { date: toUniversalTime(time) } : {}
}

function getCorrespondent({ name, parameters, value }: ContentLine): Correspondent[] {
  if (name !== "ORGANIZER" && name !== "ATTENDEE") return []
  return [{ name: parameters.get("CN")?.[0] ?? "", address: getAddress(value) }]
}

const getAddress = (value: string): string => value.trim().replace(/^mailto:/i, "")

const isInline = ({ parameters }: ContentLine): boolean =>
  ["BASE64", "B"].includes(parameters.get("ENCODING")?.[0]?.toUpperCase() ?? "")

/** Returns the title of an event or to-do, and its blocks. */
function describeItem(
  lines: readonly ContentLine[],
  component: string,
  isCancelled: boolean,
): { text: string; blocks: Block[] } {
  const all = (name: string) => lines.filter((line) => line.name === name)
  const text = (name: string) => unescapeText(all(name)[0]?.value ?? "")
  const moments = (name: string): CalendarTime[] =>
    all(name).flatMap((line) =>
      line.value.split(",").flatMap((value) => parseTime({ value, parameters: line.parameters }) ?? []),
    )
  const language = getLanguage([...all("SUMMARY"), ...all("DESCRIPTION")])
  const words = calendarWords(language)
  const [start] = moments("DTSTART")
  const duration = parseDuration(text("DURATION"))
  const end =
    moments(component === "VTODO" ? "DUE" : "DTEND")[0] ??
    (start && duration !== undefined ? addMinutes(start, duration) : undefined)
  const isToDo = component === "VTODO"
  const status = isCancelled ? "CANCELLED" : text("STATUS").toUpperCase()
  const progress = text("PERCENT-COMPLETE")
  const priority = text("PRIORITY")
  const rows: [label: string, value: string | false | undefined][] = [
    [words.when, !isToDo && start && describePeriod(start, end, language)],
    [words.start, isToDo && start && describeMoment(start, language)],
    [words.due, isToDo && end && describeMoment(end, language)],
    [words.completed, describeMoments(moments("COMPLETED"), language)],
    ...all("RRULE").map(({ value }): [string, string] => [words.repeats, describeRule(value, language)]),
    [words.except, describeMoments(moments("EXDATE"), language)],
    [words.also, describeMoments(moments("RDATE"), language)],
    [words.replaces, describeMoments(moments("RECURRENCE-ID"), language)],
    [words.where, text("LOCATION")],
    [words.organiser, all("ORGANIZER").map(describePerson).join("; ")],
    [words.attendees, describePeople(all("ATTENDEE"), language)],
    // Most events are confirmed.
    [words.status, status !== "CONFIRMED" && (words.statuses[status] ?? status.toLowerCase())],
    [words.progress, progress !== "" && `${progress} %`],
    [words.priority, priority !== "0" && priority],
    [
      words.categories,
      all("CATEGORIES")
        .flatMap(({ value }) => splitFields(value, ","))
        .join(", "),
    ],
    [words.contact, text("CONTACT")],
    ...[...all("URL"), ...all("CONFERENCE"), ...all("ATTACH").filter((line) => !isInline(line))].map(
      ({ value }): [string, string] => [words.link, unescapeText(value)],
    ),
  ]
  const outline = new FlowOutline()
  const title = text("SUMMARY") || words.untitled
  outline.heading(1, title)
  outline.paragraph(
    rows
      .flatMap(([label, value]) =>
        typeof value === "string" && value.trim() !== "" ? [`${label}: ${value.replaceAll("\n", ", ")}`] : [],
      )
      .join("\n"),
  )
  for (const name of ["DESCRIPTION", "COMMENT"])
    for (const { value } of all(name)) outline.paragraph(stripTags(unescapeText(value)))
  return { text: title, blocks: outline.take() }
}

/** Google writes the formatting of descriptions as HTML. */
const stripTags = (text: string): string =>
  /<(br|p|a|b|i|u|ul|li|span|div)\b[^>]{0,500}>/i.test(text)
    ? text
        .replaceAll(/<br\b[^>]{0,100}>|<\/(p|li|div|ul)>/gi, "\n")
        .replaceAll(/<\/?[a-z][^<>]{0,1000}>/gi, "")
        .replaceAll(/&(nbsp|amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
    : text
const entities: Readonly<Record<string, string>> = {
  "&nbsp;": " ",
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
}

/** Returns the language that the texts declare, if dates can be written in it, otherwise English. */
function getLanguage(lines: readonly ContentLine[]): string {
  const declared = lines.flatMap(({ parameters }) => parameters.get("LANGUAGE") ?? [])[0]
  const [language = ""] = declared?.toLowerCase().split(/[-_]/) ?? []
  return /^[a-z]{2,3}$/.test(language) && Intl.DateTimeFormat.supportedLocalesOf(language).length > 0
    ? language
    : "en"
}

const describePerson = ({ parameters, value }: ContentLine): string =>
  person(parameters.get("CN")?.[0] ?? "", getAddress(value))

function describePeople(lines: readonly ContentLine[], language: string): string {
  const words = calendarWords(language)
  const shown = lines.slice(0, maxPeople).map((line) => {
    const reply = words.replies[line.parameters.get("PARTSTAT")?.[0]?.toUpperCase() ?? ""]
    return reply === undefined ? describePerson(line) : `${describePerson(line)} (${reply})`
  })
  const left = lines.length - shown.length
  return [...shown, ...(left > 0 ? [words.more(left)] : [])].join("; ")
}
