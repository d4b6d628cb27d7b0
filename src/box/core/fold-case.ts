/** Text without differences of case, in every script: SQL's own comparison knows ASCII only. */
export const foldCase = (text: string): string => text.normalize("NFC").toUpperCase().normalize("NFC")
