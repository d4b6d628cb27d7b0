/** Decrypts in place, as far as there are whole blocks. */
export type Decrypt = (content: Buffer) => void
