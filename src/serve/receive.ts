export interface ReceiveOptions<Fields> {
  /** Path of the new file; nothing may exist there yet. */
  path: string
  /** Maximum file size in bytes, if the form specifies none. */
  limit?: number
  /** Maximum number of the file's first bytes in the result's `head`. */
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

/** Receives a request's file according to its endpoint's form. */
export type Receive<Fields> = (options: ReceiveOptions<Fields>) => Promise<ReceivedFile<Fields>>
