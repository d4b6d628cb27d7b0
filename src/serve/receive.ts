export interface ReceiveOptions<Fields> {
  /** Where the bytes are written; nothing may exist there yet. */
  path: string
  /** Longest file in bytes, where the form names none. */
  limit?: number
  /** How many of the file's first bytes the answer's `head` holds, at most. */
  headBytes: number
  /** Called as soon as the head is known; throwing ends the upload. `fields` are those sent before the file. */
  onHead?: (head: Buffer, fileName: string, fields: Fields) => Promise<void>
}

export interface ReceivedFile<Fields = unknown> {
  fileName: string
  size: number
  head: Buffer
  fields: Fields
}

/** Receives the file of one request by its endpoint's form. */
export type Receive<Fields> = (options: ReceiveOptions<Fields>) => Promise<ReceivedFile<Fields>>
