import i18next, { t } from "i18next"
import type { ReasonCode } from "../../../shared/contract/file-reasons.ts"
import type { FileEntry, FileReason } from "../../../shared/contract/files.ts"
import { lockedReasons } from "../../../shared/contract/locked-reasons.ts"
import type { SentenceBody } from "../../../shared/contract/sentence.ts"

/**
 * Translates a text from the box into the page's language. Returns it unchanged if the page doesn't know its sentence, or if the page is in
 * English.
 */
export const toPageLanguage = (text: string, sentence?: SentenceBody): string =>
  (sentence && say(sentence)) ?? text

function say({ code, values = {} }: SentenceBody): string | undefined {
  if (!i18next.exists(`sentences:${code}`)) return undefined
  const filled: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(values)) {
    const said = typeof value === "object" ? say(value) : value
    if (said === undefined) return undefined
    filled[name] = said
  }
  return fillInSentence(`sentences:${code}`, filled)
}

/** English sentences come from the box, so the page's own strings don't include them. */
const fillInSentence = t as (key: string, values: Record<string, string | number>) => string

type ReasonSource = Pick<FileEntry, "storage" | "error" | "note" | "reasons">

/** Returns in the page's language why a file isn't in the index, or which parts are missing. */
export function getReason({ storage, error, note, reasons = [] }: ReasonSource): string | null {
  const sentences = reasons.map(describeReason)
  if (sentences.length > 0 && sentences.every((sentence) => sentence !== undefined))
    return sentences.join(" ")
  return error ?? note ?? (storage === "cloud" ? (describeReason({ code: "cloud_only" }) ?? null) : null)
}

/** Whether none of the file could be read because its password is missing. */
export const isLocked = ({ status, reasons = [] }: Pick<FileEntry, "status" | "reasons">): boolean =>
  status === "failed" && reasons.some(({ code }) => lockedReasons.has(code))

/** Undefined for a code that the page doesn't know, because the box is newer or the page's strings haven't loaded yet. */
export function describeReason({ code, values, document, cause }: FileReason): string | undefined {
  if (!isKnown(code, values)) return undefined
  const because = cause && (describeReason(cause) ?? "")
  const sentence = fillInReason(`reasons:${code}`, {
    ...values,
    ...(because !== undefined && { cause: because }),
  })
  return document === undefined ? sentence : `${document}: ${sentence}`
}

/** The code determines which values a sentence needs, and a reason includes them. */
const fillInReason = t as (key: `reasons:${ReasonCode}`, values: Record<string, string | number>) => string

const isKnown = (code: string, values: FileReason["values"]): code is ReasonCode =>
  i18next.exists(`reasons:${code}`, { ...values })
