import type { ReasonCode } from "./file-reasons.ts"

/** Reasons for unreadable files that a password may open. */
export const lockedReasons: ReadonlySet<string> = new Set<ReasonCode>([
  "encrypted_document",
  "encrypted_pdf",
  "encrypted_presentation",
  "encrypted_workbook",
  "password_wrong",
  "pdf_password_wrong",
])
