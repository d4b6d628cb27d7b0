/** Decrypts in place as many whole blocks as there are. */
export type Decrypt = (content: Buffer) => void
