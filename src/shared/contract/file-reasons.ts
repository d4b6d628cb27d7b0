import { Sentence } from "../sentences/sentence.ts"
import type { FileReason } from "./files.ts"
import type { SentenceBody } from "./sentence.ts"

/** Why a file can't be read, or what is missing from it: English sentences by code. A reason's values replace {{these}}. */
export const fileReasons = {
  archive_too_deep: "Archives inside archives are read up to {{count, number}} levels deep.",
  archive_unreadable: "Nothing in this archive can be read.",
  archive_unreadable_because: 'Nothing in this archive can be read. "{{name}}" was skipped: {{cause}}',
  bitmap_compressed: "Compressed and 16-bit bitmaps can't be read. Save the image as PNG.",
  bitmap_damaged: "This bitmap is damaged.",
  bitmap_damaged_or_too_large: "This bitmap is damaged or too large.",
  bitmap_of_os2: "OS/2 bitmaps can't be read. Save the image as PNG.",
  box_failed: "Something went wrong in Casella. See the log for details.",
  characters_damaged: "Some characters in this file are damaged. They are shown as �.",
  characters_left_out: "Only the first {{count, number}} characters of the text were read.",
  changes_while_read: "This file changed while it was being read. Casella will try again.",
  changed_while_read: "This file kept changing while it was being read.",
  cloud_only: "This file is only in cloud storage. Download it to index it.",
  compression_unknown: "It is compressed in a way that can't be read.",
  container_unknown: "This file isn't a Word, Excel, PowerPoint or Outlook document.",
  damaged_container: "This file is damaged: its internal structure can't be read. Get another copy.",
  damaged_zip: "This file is damaged: its contents can't be unpacked. Get another copy.",
  device_failed: "The disk that contains this file couldn't be read.",
  device_failing: "The disk that contains this file can't be read at the moment. Casella will try again.",
  disk_full: "The disk is full. Casella will read this file when there is space.",
  documents_left_out: "Only the first {{count, number}} documents inside this file are read.",
  embedded_left_out: 'The attachment "{{name}}" was skipped: {{cause}}',
  embedded_too_deep: '"{{name}}" is more than {{count, number}} documents deep and was skipped.',
  empty: '"{{name}}" is empty.',
  encoding_doubtful:
    'This file doesn\'t say which encoding it uses. It was read as {{encoding}}. If characters look wrong, choose "Read as…" in its menu.',
  encrypted: "This file is encrypted. Save it without a password.",
  encrypted_document: "This document is password-protected. Enter its password, or save a copy without one.",
  encrypted_message: "This message is encrypted for its recipient. Save its content with your email program.",
  encrypted_pdf: "This PDF is encrypted. Enter its password, or save a copy without one.",
  encrypted_pdf_unknown: "This PDF is encrypted in a way that can't be read. Save a copy without protection.",
  encrypted_presentation:
    "This presentation is password-protected. Enter its password, or save a copy without one.",
  encrypted_unknown: "This file is encrypted in a way that can't be read. Save a copy without a password.",
  encrypted_workbook: "This workbook is password-protected. Enter its password, or save a copy without one.",
  entries_not_read: "Only {{read, number}} of the {{count, number}} files in this archive were read.",
  entries_skipped_more_one: "1 more file in this archive was skipped.",
  entries_skipped_more_other: "{{count, number}} more files in this archive were skipped.",
  entry_overlaps: "It overlaps another file in the archive, so the archive may be damaged or unsafe.",
  entry_skipped: '"{{name}}" was skipped: {{cause}}',
  entry_too_large: "It is too large to unpack.",
  equations_left_out_one: "1 equation was skipped, because it is an object of another program.",
  equations_left_out_other:
    "{{count, number}} equations were skipped, because they are objects of another program.",
  extension_unknown: "Casella can't read files ending in .{{extension}}.",
  files_skipped: "{{files, number}} files were skipped ({{names}}): {{cause}}",
  formulas_computed_one: "1 formula has no stored value and was computed by Casella.",
  formulas_computed_other: "{{count, number}} formulas have no stored value and were computed by Casella.",
  formulas_not_computed_one:
    "1 formula has no stored value, so the formula itself was read ({{places}}). Open the file in a spreadsheet program and save it again.",
  formulas_not_computed_other:
    "{{count, number}} formulas have no stored value, so the formulas themselves were read ({{places}}). Open the file in a spreadsheet program and save it again.",
  formulas_without_values_one:
    "1 formula has no stored value, so the formula itself was read. Open the file in a spreadsheet program and save it again.",
  formulas_without_values_other:
    "{{count, number}} formulas have no stored value, so the formulas themselves were read. Open the file in a spreadsheet program and save it again.",
  gone: "The file is no longer in the folder.",
  hidden_columns_left_out_one: "1 hidden column was skipped.",
  hidden_columns_left_out_other: "{{count, number}} hidden columns were skipped.",
  hidden_parts_marked_one: "1 hidden part was read and is marked “(hidden)”.",
  hidden_parts_marked_other: "{{count, number}} hidden parts were read and are marked “(hidden)”.",
  hidden_rows_left_out_one: "1 hidden row was skipped.",
  hidden_rows_left_out_other: "{{count, number}} hidden rows were skipped.",
  hidden_sheets_left_out_one: "1 hidden sheet was skipped.",
  hidden_sheets_left_out_other: "{{count, number}} hidden sheets were skipped.",
  hidden_slides_left_out_one: "1 hidden slide was skipped ({{slides}}).",
  hidden_slides_left_out_other: "{{count, number}} hidden slides were skipped ({{slides}}).",
  hidden_texts_left_out_one: "The hidden text of 1 paragraph was skipped.",
  hidden_texts_left_out_other: "The hidden text of {{count, number}} paragraphs was skipped.",
  html_too_deep: "This HTML is nested too deeply to be read.",
  images_by_ocr_one: "Text was recognised in {{images, number}} of {{count, number}} image in this document.",
  images_by_ocr_other:
    "Text was recognised in {{images, number}} of {{count, number}} images in this document.",
  images_described_one: "A model described {{images, number}} of {{count, number}} image in this document.",
  images_described_other:
    "A model described {{images, number}} of {{count, number}} images in this document.",
  images_left_out_one:
    "The text in 1 image in this document wasn't recognised, because of its size or the number of images.",
  images_left_out_other:
    "The text in {{count, number}} images in this document wasn't recognised, because of their size or number.",
  images_undescribed_one: "1 image wasn't described (place, number: {{places}}). {{cause}}",
  images_undescribed_other:
    "{{count, number}} images weren't described (place, number: {{places}}). {{cause}}",
  images_unread_by_ocr_one: "The text in 1 image in this document couldn't be recognised.",
  images_unread_by_ocr_other: "The text in {{count, number}} images in this document couldn't be recognised.",
  images_wait_one: "The text in 1 image in this document is still being recognised.",
  images_wait_other: "The text in {{count, number}} images in this document is still being recognised.",
  images_wait_for_description_one: "1 image in this document is still being described.",
  images_wait_for_description_other: "{{count, number}} images in this document are still being described.",
  in_use: "Another program is using this file.",
  incomplete: "This file is incomplete: its end is missing. Get another copy.",
  is_directory: "This is a folder, not a file.",
  json_too_deep: "This JSON is nested too deeply to be read.",
  left_out: "This file is excluded from search. Include it in search to find its content.",
  light_only: "This folder accepts only PDF files and images. Add this file to another folder.",
  locked: "Another program is using this file. Casella will read it when that program closes it.",
  mail_damaged: "This email is damaged. Get another copy.",
  members_left_out: "Only the first {{count, number}} files in archives are read.",
  memory_exceeded:
    "Reading this file needs more than {{count, number}} MB of memory, which is the limit for one document.",
  message_skipped: "Message {{number, number}} was skipped: {{cause}}",
  message_too_deep: "It is more than {{count, number}} messages deep.",
  message_too_large: "It is too large to read.",
  messages_skipped: "{{messages, number}} messages were skipped ({{names}}): {{cause}}",
  messages_not_read:
    "Only the first {{count, number}} messages were read. Reading all of them would take too long.",
  name_not_utf8:
    "The name of this file contains characters that can't be read (it isn't UTF-8), so the file can't be opened. Rename it.",
  no_ocr: "This file contains images of text, and text recognition isn't available here.",
  no_text: "No text was found in this file.",
  not_allowed: "Casella isn't allowed to read this file. Check its permissions.",
  not_open_document: "This isn't a valid OpenDocument file: it has no content.",
  not_presentation: "This isn't a valid PowerPoint presentation: it has no slides.",
  not_regular_file: "This isn't a regular file.",
  not_signed: "This isn't a signed message.",
  not_signed_or_damaged: "This isn't a signed message, or it is damaged.",
  not_well_formed_xml: "This isn't well-formed XML (line and column {{place}}).",
  not_calendar: "This isn't a valid calendar: it has no events.",
  not_contacts: "This file contains no contacts.",
  not_mbox: "This isn't a valid mailbox: it has no messages.",
  not_epub: "This isn't a valid EPUB book: it has no chapters.",
  not_word_document: "This isn't a valid Word document: it has no document part.",
  not_workbook: "This isn't a valid Excel workbook: it has no sheets.",
  ocr_language_damaged:
    "The file {{file}}, which Casella uses to recognise text in images, is damaged. Remove it from the folder ocr-languages in Casella's data directory, or replace it with a valid copy.",
  ocr_languages_missing:
    "To recognise text in images, Casella needs a language file. Put one into the folder ocr-languages in Casella's data directory.",
  ocr_unavailable:
    "Text recognition can't start. Check the language files in the folder ocr-languages in Casella's data directory.",
  no_pages: "This PDF is damaged: it has no pages.",
  page_damaged: "Page {{page, number}} of this PDF is damaged.",
  page_missing: "This page isn't in the file, or it is damaged.",
  page_waits_one: "The text on this page is still being recognised.",
  page_waits_other: "The text on 1 of {{count, number}} pages is still being recognised.",
  pages_by_ocr_one: "The text of {{pages, number}} of {{count, number}} page was recognised in an image.",
  pages_by_ocr_other: "The text of {{pages, number}} of {{count, number}} pages was recognised in images.",
  chapters_left_out_one: "{{chapters, number}} of {{count, number}} chapter is missing and was skipped.",
  chapters_left_out_other: "{{chapters, number}} of {{count, number}} chapters are missing and were skipped.",
  pages_not_legible_one:
    "The text of {{pages, number}} of {{count, number}} page can't be read: its characters have no meaning.",
  pages_not_legible_other:
    "The text of {{pages, number}} of {{count, number}} pages can't be read: their characters have no meaning.",
  pages_left_out_one: "{{pages, number}} of {{count, number}} page is damaged and was skipped.",
  pages_left_out_other: "{{pages, number}} of {{count, number}} pages are damaged and were skipped.",
  pages_not_read: "Only the first {{pages, number}} of {{count, number}} pages were read.",
  pages_unknown: "Only PDF files and images have pages to show. For this file, only the text is available.",
  pages_unread_by_ocr_one:
    "{{pages, number}} of {{count, number}} page is an image whose text couldn't be recognised.",
  pages_unread_by_ocr_other:
    "The text in the images on {{pages, number}} of {{count, number}} pages couldn't be recognised.",
  pages_wait: "The text on {{pages, number}} of {{count, number}} pages is still being recognised.",
  pages_without_ocr_one:
    "The text in the image on {{pages, number}} of {{count, number}} page wasn't recognised, because there are too many images.",
  pages_without_ocr_other:
    "The text in the images on {{pages, number}} of {{count, number}} pages wasn't recognised, because there are too many images.",
  parser_crashed: "The process that reads this file crashed. The file may be damaged.",
  parser_ended:
    "The process that reads this file was stopped by the system, or stopped answering, several times. The computer may be low on memory. Try again later.",
  parser_ended_for_now:
    "The process that reads this file stopped before it was finished. Casella will try again.",
  parser_failed: "Reading this file failed, because of a fault in Casella or damage to the file.",
  too_many_parts: "This file has more than {{count, number}} parts, which is too many.",
  parts_skipped_more_one: "1 more message or attachment was skipped.",
  parts_skipped_more_other: "{{count, number}} more messages and attachments were skipped.",
  password_wrong: "This file doesn't open with that password. Try another one.",
  pdf_damaged: "This PDF is damaged: its structure can't be read.",
  pdf_pages_damaged: "This PDF is damaged: {{pages, number}} of its {{count, number}} pages can't be read.",
  pdf_password_wrong: "This PDF doesn't open with that password. Try another one.",
  picture_animated:
    "This image is animated. Models can use still images only. Save one of its frames as PNG.",
  picture_damaged: "This image is damaged: its beginning can't be read.",
  picture_too_intricate: "This image is too complex for text recognition.",
  picture_too_large: "This image is larger than 256 MB.",
  picture_too_large_to_show: "This image is too large to show.",
  picture_too_many_pixels:
    "This image has {{count, number}} million pixels. Text is recognised in images of up to {{most, number}} million. Save a smaller copy.",
  picture_too_many_pixels_to_see:
    "This image has {{count, number}} million pixels. Images of up to {{most, number}} million can be sent to a model. Save a smaller copy.",
  picture_type_unseen: "Only PNG, JPEG, WebP and GIF images can be sent to a model.",
  picture_undecodable: "This image is damaged, or its format isn't supported.",
  presentation_too_old: "This presentation is older than PowerPoint 97 and can't be read.",
  store_away: "The object store that contains this file can't be reached. Casella will try again.",
  read_later: "Couldn't read this file. Casella will try again.",
  rows_repaired_one: "Quotation marks don't match in 1 row, so this row was read line by line.",
  rows_repaired_other:
    "Quotation marks don't match in {{count, number}} rows, so these rows were read line by line.",
  rtf_too_deep: "This RTF is nested too deeply to be read.",
  signature_damaged: "This signed file is damaged or incomplete. Get another copy.",
  signature_detached: "This file contains only a signature. The signed document is another file.",
  signed_too_often: "This file is signed more than {{count, number}} times.",
  text_too_long: "This file has a single text of more than 64 MB.",
  tiff_damaged: "This TIFF is damaged, or its compression isn't supported.",
  tiff_empty: "This TIFF is damaged: it contains no image.",
  tiff_too_large: "An image in this TIFF is too large.",
  too_deep: "This file is nested too deeply to be read.",
  too_large: "This file is larger than 1 GiB.",
  too_slow: "Reading this file took too long. It may be damaged, too large or too complex.",
  type_archive: '"{{name}}" is an archive. Unpack it and add the documents in it.',
  type_binary: "Casella can't read \"{{name}}\": it isn't made of text.",
  type_is_text: '"{{name}}" contains plain text, although its name ends in .{{extension}}.',
  type_foreign: 'Casella can\'t read "{{name}}" (.{{type}}).',
  type_program: '"{{name}}" is a program, not a document.',
  type_recording: '"{{name}}" is an audio or video file, not a document.',
  type_unread: 'Casella can\'t read files such as "{{name}}".',
  unpacks_too_large: "This file is larger than 1 GB when unpacked, which is too much to read.",
  vision_model_blocked:
    "{{model}} is on a server, and local-only mode is on. An owner can turn that off in Settings › Privacy.",
  vision_model_failing: "{{model}} couldn't be used. Casella will try again later.",
  vision_model_limit: "The owner of the folder has reached a daily limit. Casella will try again later.",
  vision_model_missing:
    "No chat model that supports images is in use. Choose one in Settings › Models in use.",
  vision_model_refused: "{{model}} refused the image, or wrote nothing.",
  vision_model_remote:
    "{{model}} is on a server, and this folder stays on this computer. Its settings say whether remote models may read it.",
  word_damaged: "This Word document is damaged. Get another copy.",
  word_too_old: "This Word document is older than Word 6 and can't be read.",
  workbook_damaged: "This workbook is damaged. Open it in a spreadsheet program and save it again.",
  workbook_repeats_texts: "This workbook repeats long texts too often to be read safely.",
  workbook_too_much_text: "This workbook has more than 128 million characters of text, which is too much.",
  xml_damaged: "The XML of this document is damaged. It was read as far as possible.",
  xml_entities:
    "This XML defines custom entities, which Casella doesn't read for security reasons. Remove its DOCTYPE.",
  xml_entities_inside:
    "This file defines custom XML entities, which Casella doesn't read for security reasons.",
  xml_not_well_formed:
    "The XML isn't well-formed (line and column {{place}}). It was read as far as possible.",
  xml_part_damaged: '"{{part}}" in this file is damaged. It was read as far as possible.',
  xml_points_elsewhere: "This XML refers to another file on the computer. Remove its DOCTYPE.",
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
  "formulas_computed",
  "hidden_parts_marked",
  "images_by_ocr",
  "images_described",
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
export function reasonSentence(fileReason: FileReason): Sentence {
  const { code, values, document, cause } = fileReason
  const because = cause && { cause: toSentenceBody(cause) }
  const body = { ...toSentenceBody({ code, values }), ...(because && { values: { ...values, ...because } }) }
  return Sentence.asIs(reasonText(fileReason), document === undefined ? body : undefined)
}

const toSentenceBody = ({ code, values }: Pick<FileReason, "code" | "values">): SentenceBody => ({
  code: `reasons.${code}`,
  ...(values && { values }),
})

const cut = (value: string) => (value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value)
