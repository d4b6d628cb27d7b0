import { Sentence } from "../sentences/sentence.ts"
import type { FileReason } from "./files.ts"
import type { SentenceBody } from "./sentence.ts"

/** Why a file can't be read, or what is missing from it: English sentences by code. A reason's values replace {{these}}. */
export const fileReasons = {
  archive_too_deep: "Archives inside archives are read up to {{count}} levels deep.",
  archive_unreadable: "Nothing in this archive can be read.",
  archive_unreadable_because: 'Nothing in this archive can be read. "{{name}}" was skipped: {{cause}}',
  bitmap_compressed: "Compressed and 16-bit bitmaps can't be read. Save it as PNG.",
  bitmap_damaged: "This bitmap is damaged.",
  bitmap_damaged_or_too_large: "This bitmap is damaged or too large.",
  bitmap_of_os2: "Bitmaps of OS/2 can't be read. Save it as PNG.",
  box_failed: "Something went wrong in Casella. The log says more.",
  characters_damaged: "Some characters in this file are damaged. They are shown as �.",
  characters_left_out: "Only the first {{count, number}} characters of the text were read.",
  changes_while_read: "This file changes while it is read. It is tried again.",
  changed_while_read: "This file was changed again and again while it was read.",
  cloud_only: "The content of this file is only in a cloud drive. Download it to index it.",
  compression_unknown: "It is compressed in a way that can't be read.",
  container_unknown: "This file isn't a document of Word, Excel, PowerPoint or Outlook.",
  damaged_container: "This file is damaged: its inner structure can't be followed. Get another copy.",
  damaged_zip: "This file is damaged: its contents can't be unpacked. Get another copy.",
  device_failed: "The disk that holds the file could not be read.",
  device_failing: "The disk that holds this file can't be read at the moment. It is tried again.",
  disk_full: "The disk is full. It is read once there is room.",
  documents_left_out: "Only the first {{count, number}} documents inside this file are read.",
  embedded_left_out: 'The attachment "{{name}}" was left out: {{cause}}',
  embedded_too_deep: '"{{name}}" lies more than {{count}} documents deep and is left out.',
  empty: '"{{name}}" is empty.',
  encoding_doubtful:
    "This file doesn't say how its letters are encoded. It was read as {{encoding}}. If letters look wrong, save the file as UTF-8.",
  encrypted: "This file is encrypted. Save it without a password.",
  encrypted_document:
    "This document is password-protected. Give its password, or save a copy without one, to have it read.",
  encrypted_message: "This message is encrypted for its recipient. Save its content with your mail program.",
  encrypted_pdf: "This PDF is encrypted. Give its password, or save a copy without one, to have it read.",
  encrypted_pdf_unknown: "This PDF is encrypted in a way that can't be read. Save a copy without protection.",
  encrypted_presentation:
    "This presentation is password-protected. Give its password, or save a copy without one, to have it read.",
  encrypted_unknown: "This file is encrypted in a way that can't be read. Save a copy without a password.",
  encrypted_workbook:
    "This workbook is password-protected. Give its password, or save a copy without one, to have it read.",
  entries_not_read: "Only {{read, number}} of the {{count, number}} files in this archive were read.",
  entries_skipped_more_one: "1 more file in this archive was skipped.",
  entries_skipped_more_other: "{{count, number}} more files in this archive were skipped.",
  entry_overlaps:
    "It overlaps another file in the archive, which happens only in hostile or damaged archives.",
  entry_skipped: '"{{name}}" was skipped: {{cause}}',
  entry_too_large: "It is too large to be unpacked.",
  extension_unknown: "Files ending in .{{extension}} aren't among the kinds that Casella can read.",
  formulas_without_values_one:
    "1 formula is stored without its value and is read as a formula. Open the file in a spreadsheet program and save it again.",
  formulas_without_values_other:
    "{{count, number}} formulas are stored without their values and are read as formulas. Open the file in a spreadsheet program and save it again.",
  gone: "The file isn't in the folder any more.",
  hidden_columns_left_out_one: "1 hidden column was left out.",
  hidden_columns_left_out_other: "{{count, number}} hidden columns were left out.",
  hidden_rows_left_out_one: "1 hidden row was left out.",
  hidden_rows_left_out_other: "{{count, number}} hidden rows were left out.",
  hidden_sheets_left_out_one: "1 hidden sheet was left out.",
  hidden_sheets_left_out_other: "{{count, number}} hidden sheets were left out.",
  html_too_deep: "This HTML is nested too deeply to be read.",
  in_use: "Another program is using this file.",
  incomplete: "This file is incomplete: its end is missing. Get another copy.",
  is_directory: "This is a folder, not a file.",
  json_too_deep: "This JSON is nested too deeply to be read.",
  left_out: "It was left out, so nothing of it is found. Put it back in to change that.",
  light_only: "This folder takes only PDF files and images. Put this file into another folder.",
  locked: "Another program is using this file. It is read once that program has let go of it.",
  mail_damaged: "This mail is damaged. Get another copy.",
  members_left_out: "Only the first {{count, number}} files in archives are read.",
  memory_exceeded: "Reading this file needs more than the {{count}} MB of memory that one document may take.",
  message_skipped: "Message {{number, number}} was skipped: {{cause}}",
  message_too_deep: "It lies more than {{count}} messages deep.",
  message_too_large: "It is too large to be read.",
  messages_not_read:
    "Only the first {{count, number}} messages were read. Reading all of them would take too long.",
  name_not_utf8:
    "The name of this file has characters that can't be read (it isn't UTF-8), so it can't be opened. Rename it to have it read.",
  no_ocr: "This file holds pictures of text, and Casella can't recognise text in pictures here.",
  no_text: "No text was found in this file.",
  not_allowed: "Casella isn't allowed to read this file. Check its permissions.",
  not_open_document: "This isn't an OpenDocument file: it has no content inside.",
  not_presentation: "This isn't a PowerPoint presentation: it has no slides inside.",
  not_regular_file: "This isn't a regular file.",
  not_signed: "This isn't a signed message.",
  not_signed_or_damaged: "This isn't a signed message, or it is damaged.",
  not_well_formed_xml: "This isn't well-formed XML (line and column {{place}}).",
  not_calendar: "This isn't a calendar: it has no events inside.",
  not_contacts: "This file has no contacts inside.",
  not_mbox: "This isn't a mailbox: it has no messages inside.",
  not_epub: "This isn't an EPUB book: it has no chapters inside.",
  not_word_document: "This isn't a Word document: it has no document inside.",
  not_workbook: "This isn't an Excel workbook: it has no sheets inside.",
  ocr_language_damaged:
    "The file {{file}}, with which Casella recognises text in pictures, is damaged. Remove it from the folder ocr-languages of Casella's data, or put a good one there.",
  ocr_languages_missing:
    "To recognise text in pictures, the file of a language is missing: put one into the folder ocr-languages of Casella's data.",
  ocr_unavailable:
    "Recognising text in pictures can't start: check the language files in the folder ocr-languages of Casella's data.",
  no_pages: "This PDF is damaged: it has no pages.",
  page_damaged: "Page {{page}} of this PDF is damaged.",
  page_missing: "There is no such page in this file, or it is damaged.",
  page_waits_one: "1 of {{count}} page is a picture whose text is still to be recognised.",
  page_waits_other: "1 of {{count}} pages is a picture whose text is still to be recognised.",
  pages_by_ocr_one: "The text of {{pages}} of {{count}} page was recognised in a picture.",
  pages_by_ocr_other: "The text of {{pages}} of {{count}} pages was recognised in pictures.",
  chapters_left_out_one: "{{chapters}} of {{count}} chapter is missing and was left out.",
  chapters_left_out_other: "{{chapters}} of {{count}} chapters are missing and were left out.",
  pages_not_legible_one:
    "The text of {{pages}} of {{count}} page can't be read: its letters have no meaning.",
  pages_not_legible_other:
    "The text of {{pages}} of {{count}} pages can't be read: their letters have no meaning.",
  pages_left_out_one: "{{pages}} of {{count}} page is damaged and was left out.",
  pages_left_out_other: "{{pages}} of {{count}} pages are damaged and were left out.",
  pages_not_read: "Only the first {{pages}} of {{count}} pages were read.",
  pages_unknown: "Only PDF files and pictures have pages to show; this file has its text.",
  pages_unread_by_ocr_one: "{{pages}} of {{count}} page is a picture whose text couldn't be recognised.",
  pages_unread_by_ocr_other:
    "The text in the pictures of {{pages}} of {{count}} pages couldn't be recognised.",
  pages_wait: "{{pages}} of {{count}} pages are pictures whose text is still to be recognised.",
  pages_without_ocr_one:
    "The text in the picture of {{pages}} of {{count}} page wasn't recognised: there are too many pictures.",
  pages_without_ocr_other:
    "The text in the pictures of {{pages}} of {{count}} pages wasn't recognised: there are too many pictures.",
  parser_crashed: "The program that reads this file crashed. The file may be damaged.",
  parser_ended:
    "The program that reads this file was ended from outside or stopped answering, several times. The computer may be short of memory: try again later.",
  parser_ended_for_now: "The program that reads this file ended before it was done. It is tried again.",
  parser_failed: "Reading this file failed because of a fault in the program, or damage to the file.",
  too_many_parts: "This file is made of more than {{count, number}} parts, which is too many.",
  parts_skipped_more_one: "1 more message or attachment was skipped.",
  parts_skipped_more_other: "{{count, number}} more messages and attachments were skipped.",
  password_wrong: "This file doesn't open with that password. Try another one.",
  pdf_damaged: "This PDF is damaged: its structure can't be read.",
  pdf_pages_damaged: "This PDF is damaged: {{pages}} of its {{count}} pages can't be read.",
  pdf_password_wrong: "This PDF doesn't open with that password. Try another one.",
  picture_animated:
    "This picture is animated. Models see pictures that stand still: save one of its pictures as PNG.",
  picture_damaged: "This picture is damaged: its beginning can't be read.",
  picture_too_intricate: "The picture is too intricate to have its text recognised.",
  picture_too_large: "This picture is larger than 256 MB.",
  picture_too_large_to_show: "This picture is too large to be shown.",
  picture_too_many_pixels:
    "This picture has {{count, number}} million dots (pixels). Text is recognised in pictures of up to {{most}} million: save a smaller copy.",
  picture_too_many_pixels_to_see:
    "This picture has {{count, number}} million pixels. Models are sent those of up to {{most}} million: save a smaller copy.",
  picture_type_unseen: "Only PNG, JPEG, WebP and GIF pictures can be sent to a model, and this isn't one.",
  picture_undecodable: "The picture is damaged or of a kind that can't be decoded.",
  presentation_too_old: "This presentation is of a version before PowerPoint 97, which can't be read.",
  store_away: "The object store that holds this file can't be reached. It is tried again.",
  read_later: "Reading this file didn't work out. It is tried again.",
  rows_repaired: "Quotes don't match in {{count, number}} rows; they were read line by line.",
  rtf_too_deep: "This RTF is nested too deeply to be read.",
  signature_damaged: "This signed file is damaged or incomplete. Get another copy.",
  signature_detached: "This file holds only a signature; the document that was signed is another file.",
  signed_too_often: "This is signed more than {{count}} times over.",
  text_too_long: "This file has a single text of more than 64 MB.",
  tiff_damaged: "This TIFF is damaged, or compressed in a way that can't be read.",
  tiff_empty: "This TIFF is damaged: it holds no picture.",
  tiff_too_large: "A picture in this TIFF is too large.",
  too_deep: "This file is nested too deeply to be read.",
  too_large: "This file is larger than 1 GiB.",
  too_slow: "Reading this file took too long. It may be damaged, or too large or too intricate.",
  type_archive: '"{{name}}" is an archive. Unpack it and add the documents in it.',
  type_binary: "\"{{name}}\" is a kind of file that Casella can't read: it isn't made of text.",
  type_is_text: '"{{name}}" holds plain text, although its name ends in .{{extension}}.',
  type_foreign: '"{{name}}" is a kind of file that Casella can\'t read (.{{type}}).',
  type_program: '"{{name}}" is a program, not a document.',
  type_recording: '"{{name}}" is a sound or a film, not a document.',
  type_unread: '"{{name}}" is a kind of file that Casella can\'t read.',
  unpacks_too_large: "This file unpacks to more than 1 GB, which is too much to read.",
  word_damaged: "This Word document is damaged. Get another copy.",
  word_too_old: "This Word document is of a version before Word 6, which can't be read.",
  workbook_damaged: "This workbook is damaged. Open it in a spreadsheet program and save it anew.",
  workbook_repeats_texts:
    "This workbook repeats long texts so often that it looks like an attack. It isn't read.",
  workbook_too_much_text: "This workbook has more than 128 million characters of text, which is too much.",
  xml_damaged: "The XML of this document is damaged; it was read as far as it makes sense.",
  xml_entities: "This XML declares entities of its own, which is how XML bombs are made. Remove its DOCTYPE.",
  xml_entities_inside: "This file declares XML entities of its own, which only hostile files do.",
  xml_not_well_formed:
    "The XML isn't well-formed (line and column {{place}}); it was read as far as it makes sense.",
  xml_part_damaged: '"{{part}}" in this file is damaged; it was read as far as it makes sense.',
  xml_points_elsewhere: "This XML points to another file of the computer. Remove its DOCTYPE.",
  xml_too_deep: "This XML is nested too deeply to be read.",
} as const

type Sentences = typeof fileReasons
/** Sentences with a count have two forms. */
type Bare<Key extends string> = Key extends `${infer Code}_one` | `${infer Code}_other` ? Code : Key
export type ReasonCode = Bare<keyof Sentences>
type SentenceOf<Code extends ReasonCode> = Code extends keyof Sentences
  ? Sentences[Code]
  : `${Code}_other` extends keyof Sentences
    ? Sentences[`${Code}_other`]
    : never
type Trimmed<Name extends string> = Name extends `${infer Bare}, ${string}` ? Bare : Name
type NamesIn<Sentence extends string> = Sentence extends `${string}{{${infer Name}}}${infer Rest}`
  ? Trimmed<Name> | NamesIn<Rest>
  : never
type ValuesOf<Code extends ReasonCode> = {
  [Name in NamesIn<SentenceOf<Code>>]: Name extends "cause" ? FileReason : string | number
}

/** Names come from documents, which may be hostile. */
const maxValueLength = 200

/** A code with the values that its sentence needs. */
export type ReasonArguments = {
  [Code in ReasonCode]: [keyof ValuesOf<Code>] extends [never]
    ? [code: Code]
    : [code: Code, values: ValuesOf<Code>]
}[ReasonCode]

/** Creates a reason with all the values that its sentence needs; long names are cut. */
export function reason(...[code, given]: ReasonArguments): FileReason {
  const { cause, ...all } = { ...given } as Record<string, string | number> & { cause?: FileReason }
  const values = Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, typeof value === "string" ? cut(value) : value]),
  )
  return {
    code,
    ...(Object.keys(values).length > 0 && { values }),
    ...(cause && { cause: { code: cause.code, ...(cause.values && { values: cause.values }) } }),
  }
}

/** Returns the English sentence. */
export function reasonText({ code, values = {}, document, cause }: FileReason): string {
  const sentences: Record<string, string> = fileReasons
  const sentence = sentences[code] ?? sentences[`${code}_${values["count"] === 1 ? "one" : "other"}`] ?? code
  const text = sentence.replaceAll(/\{\{(\w+)(, number)?\}\}/g, (_, name: string, grouped?: string) => {
    if (name === "cause") return cause ? reasonText(cause) : ""
    const value = values[name] ?? ""
    return grouped === undefined ? String(value) : value.toLocaleString("en")
  })
  return document === undefined ? text : `${document}: ${text}`
}

/** Notes that a file can have although none of its text is missing. */
const fullTextReasons: ReadonlySet<string> = new Set<ReasonCode>([
  "characters_damaged",
  "encoding_doubtful",
  "pages_by_ocr",
  "rows_repaired",
])

/** Whether all of a file's text is there, whatever its note says. */
export const isAllThere = (reasons: readonly Pick<FileReason, "code">[] = []): boolean =>
  reasons.every(({ code }) => fullTextReasons.has(code))

/** Reasons that may be caused by the program that reads files, not by the file. */
const programFaults: ReadonlySet<string> = new Set<ReasonCode>([
  "box_failed",
  "parser_crashed",
  "parser_ended",
  "parser_failed",
])

/** Whether Casella may have caused the failure to read a file. */
export const mayBeProgramFault = (reasons: readonly Pick<FileReason, "code">[]): boolean =>
  reasons.some(({ code }) => programFaults.has(code))

/** Returns the same text as a sentence for errors. */
export function reasonSentence(told: FileReason): Sentence {
  const { code, values, document, cause } = told
  const because = cause && { cause: toSentenceBody(cause) }
  const body = { ...toSentenceBody({ code, values }), ...(because && { values: { ...values, ...because } }) }
  return Sentence.asIs(reasonText(told), document === undefined ? body : undefined)
}

const toSentenceBody = ({ code, values }: Pick<FileReason, "code" | "values">): SentenceBody => ({
  code: `reasons.${code}`,
  ...(values && { values }),
})

const cut = (value: string) => (value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value)
