import { isAllThere, reason } from "../../../shared/contract/file-reasons.ts"
import type { FileReason } from "../../../shared/contract/files.ts"
import type { ParseContext, ParseFailure } from "../parser.ts"

type Note = (fileReason: FileReason) => void

/** Parts that are skipped for the same reason are noted together. */
const skippedParts = new Set(["entry_skipped", "embedded_left_out", "message_skipped"])
/** Notes about several documents that are noted as one, with the sum of their counts. */
const countedParts = new Set([
  "equations_left_out",
  "formulas_computed",
  "hidden_columns_left_out",
  "hidden_parts_marked",
  "hidden_rows_left_out",
  "hidden_sheets_left_out",
  "hidden_texts_left_out",
])
const isGrouped = ({ code }: FileReason): boolean => skippedParts.has(code) || countedParts.has(code)

const maxGroups = 20
/** Maximum parts that are named for one reason, and characters of their names. */
const maxNames = 10
const maxNameCharacters = 180

interface NoteGroup {
  first: FileReason
  count: number
  names: Set<string>
  documents: Set<string | undefined>
}

/** Collects the notes about a file: each reason is noted once, with the parts that it is about. */
export class NoteGroups {
  readonly #note: Note
  readonly #groups = new Map<string, NoteGroup>()
  #others = 0

  constructor(note: Note) {
    this.#note = note
  }

  add(fileReason: FileReason): void {
    if (!isGrouped(fileReason)) return this.#note(fileReason)
    const key = getKey(fileReason)
    let group = this.#groups.get(key)
    if (!group && this.#groups.size >= maxGroups) {
      this.#others++
      return
    }
    if (!group)
      this.#groups.set(key, (group = { first: fileReason, count: 0, names: new Set(), documents: new Set() }))
    const { code, values, document } = fileReason
    group.count += countedParts.has(code) ? Number(values?.["count"] ?? 1) : 1
    if (group.documents.size < 2) group.documents.add(document)
    if (group.names.size < maxNames) group.names.add(getName(fileReason))
  }

  /** Notes what was collected. Call at the end of the file. */
  finish(): void {
    for (const group of this.#groups.values()) this.#note(describeGroup(group))
    if (this.#others > 0) this.#note(reason("parts_skipped_more", { count: this.#others }))
  }
}

/** Returns the same text for reasons that differ only in the part that they are about. */
function getKey({ code, cause }: FileReason): string {
  if (countedParts.has(code)) return code
  const { name, ...values } = cause?.values ?? {}
  const extension = /\.[^./]{1,16}$/.exec(String(name ?? ""))?.[0]
  return JSON.stringify([code === "message_skipped", cause?.code, values, extension])
}

function getName({ code, values, document }: FileReason): string {
  if (code === "message_skipped") return String(values?.["number"])
  const name = String(values?.["name"])
  return document === undefined ? name : `${document}/${name}`
}

function describeGroup({ first, count, names, documents }: NoteGroup): FileReason {
  const { code, values, document, cause } = first
  if (countedParts.has(code)) {
    const sum = { code, values: { ...values, count } }
    return documents.size === 1 && document !== undefined ? { document, ...sum } : sum
  }
  if (count === 1 || !cause) return first
  const named: string[] = []
  for (const name of names) {
    if (named.length > 0 && [...named, name].join(", ").length > maxNameCharacters) break
    named.push(name)
  }
  if (named.length < count) named.push("…")
  const all = { names: named.join(", "), cause }
  return code === "message_skipped"
    ? reason("messages_skipped", { messages: count, ...all })
    : reason("files_skipped", { files: count, ...all })
}

/** Notes that a document inside another one can't be read. An archive of nothing else has already noted its files. */
export function noteSkipped(
  context: Pick<ParseContext, "note">,
  name: string,
  { reason: cause }: Pick<ParseFailure, "reason">,
): void {
  if (cause.code !== "archive_unreadable_because") context.note(reason("embedded_left_out", { name, cause }))
}

/** Maximum notes about parts that are read incompletely. */
const maxNamed = 20

/** Passes on the notes about the parts of a document: the first ones, and the number of the others. */
export class LeftOutParts {
  readonly #context: Pick<ParseContext, "note">
  readonly #remarks = new Set<string>()
  #count = 0

  constructor(context: Pick<ParseContext, "note">) {
    this.#context = context
  }

  /** Also takes remarks about parts that are read, such as a doubtful encoding, and notes each kind of them once. */
  add(fileReason: FileReason): void {
    const { code } = fileReason
    if (isGrouped(fileReason)) this.#context.note(fileReason)
    else if (isAllThere([fileReason])) {
      if (!this.#remarks.has(code)) this.#context.note(fileReason)
      this.#remarks.add(code)
    } else if (++this.#count <= maxNamed) this.#context.note(fileReason)
  }

  /** Notes how many parts weren't named, if any. */
  finish(describe: (count: number) => FileReason): void {
    if (this.#count > maxNamed) this.#context.note(describe(this.#count - maxNamed))
  }
}

/** Processor time after which the parts that remain are left out, so that those already read are kept. The process ends after a minute. */
const maxProcessorMs = 40_000

/** Returns a function that tells whether the process has worked on a document for too long to start another part of it. */
export function createTimeCheck(maxMs = maxProcessorMs): () => boolean {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 > maxMs
  }
}
