import { failure, type ParseFailure } from "../parser.ts"

/** Excel opens workbooks with this password without asking: their structure is protected, not their content. */
export const excelOwnPassword = "VelvetSweatshop"

/** A document that didn't open with this password, or without any. */
export const passwordNeeded = (
  password: string | undefined,
  code: "encrypted_document" | "encrypted_presentation" | "encrypted_workbook",
): ParseFailure => failure(password === undefined ? code : "password_wrong")

/** In a way that this program doesn't know, or that is weaker than any password. */
export const encryptedUnknown = (): ParseFailure => failure("encrypted_unknown")
