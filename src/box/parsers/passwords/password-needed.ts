import { failure, type ParseFailure } from "../parser.ts"

/** Excel opens workbooks with this password without asking. Their structure is protected, not their content. */
export const excelOwnPassword = "VelvetSweatshop"

/** The failure for a document that didn't open with this password, or without one. */
export const passwordNeeded = (
  password: string | undefined,
  code: "encrypted_document" | "encrypted_presentation" | "encrypted_workbook",
): ParseFailure => failure(password === undefined ? code : "password_wrong")

/** The failure for encryption that isn't supported or is weaker than any password. */
export const encryptedUnknown = (): ParseFailure => failure("encrypted_unknown")
