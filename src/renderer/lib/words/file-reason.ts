import i18next, { t } from "i18next"
import type { ReasonCode } from "../../../shared/contract/file-reasons.ts"
import type { FileEntry, FileReason } from "../../../shared/contract/files.ts"
import { lockedReasons } from "../../../shared/contract/locked-reasons.ts"

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
  const sentence = fillIn(`reasons:${code}`, { ...values, ...(because !== undefined && { cause: because }) })
  return document === undefined ? sentence : `${document}: ${sentence}`
}

/** The code determines which values a sentence needs, and a reason includes them. */
const fillIn = t as (key: `reasons:${ReasonCode}`, values: Record<string, string | number>) => string

const isKnown = (code: string, values: FileReason["values"]): code is ReasonCode =>
  i18next.exists(`reasons:${code}`, { ...values })
