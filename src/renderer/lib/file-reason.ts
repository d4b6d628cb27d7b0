import { t } from "i18next"
import { fileReasons, type ReasonCode } from "../../../shared/contract/file-reasons.ts"
import type { FileEntry, FileReason } from "../../../shared/contract/files.ts"

type Told = Pick<FileEntry, "storage" | "error" | "note" | "reasons">

/** Why a file isn't in the index, or what is missing of it, in the page's language. */
export function reasonOf({ storage, error, note, reasons = [] }: Told): string | null {
  const sentences = reasons.map(sentenceOf)
  if (sentences.length > 0 && sentences.every((sentence) => sentence !== undefined))
    return sentences.join(" ")
  return error ?? note ?? (storage === "cloud" ? t("folders:file.cloudOnly") : null)
}

/** Undefined for a code that the page doesn't know, because the box is newer. */
function sentenceOf({ code, values, document, cause }: FileReason): string | undefined {
  if (!isKnown(code)) return undefined
  const because = cause && (sentenceOf(cause) ?? "")
  const sentence = fillIn(`reasons:${code}`, { ...values, ...(because !== undefined && { cause: because }) })
  return document === undefined ? sentence : `${document}: ${sentence}`
}

/** Which values a sentence needs depends on its code, and a reason comes with them. */
const fillIn = t as (key: `reasons:${ReasonCode}`, values: Record<string, string | number>) => string

const isKnown = (code: string): code is ReasonCode =>
  Object.hasOwn(fileReasons, code) || Object.hasOwn(fileReasons, `${code}_other`)
