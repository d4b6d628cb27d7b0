import type { Client } from "../../src/shared/client/http-client.ts"
import type { api } from "../../src/shared/contract/api.ts"
import type { Book, Found } from "./book.ts"
import type { Ledger } from "./ledger.ts"
import type { Random } from "./random.ts"

type Api = typeof api
export type Feature = keyof Api

/** The endpoints of a feature that change something. */
type WritingEndpoint<F extends Feature> = {
  [N in keyof Api[F]]: Api[F][N] extends { method: "get" } | { reads: true } ? never : N
}[keyof Api[F]]

/** A writer's view of the lab: the box as any client sees it, and the ledger. */
export interface Desk {
  /** The owner's client. */
  client: Client
  /** Client of another person, whose memories and chats no one else deletes. */
  member: Client
  url: string
  ledger: Pick<Ledger, "book">
  /** Returns the answer of the box's model. */
  answerTo(question: string): string
  /** Whether the model calls tools. */
  callsTools: boolean
  random: Random
  /** A directory for files that the box must find. */
  directory: string
  /** Returns a name that nothing has had before. */
  name(kind: string): string
}

/** Makes one random write and enters it into the ledger. Returns false if there is nothing to write now, or if it wasn't acknowledged. */
export type MakeWrite = (desk: Desk) => Promise<boolean>

/** Why the lab doesn't write to an endpoint. */
export interface NotWritten {
  none: string
}

/** Reads all items of one kind from the box, by the names that the lab assigned. */
export interface Reader {
  book: string
  read(desk: Desk): Promise<Found<unknown>[]>
}

/** Makes a feature's writes and finds them again. An endpoint without an entry doesn't compile. */
export interface Writer<F extends Feature> {
  /** Called once, at the first start. */
  setUp?(desk: Desk): Promise<void>
  writes: { [N in WritingEndpoint<F>]: MakeWrite | NotWritten }
  readers: Reader[]
}

/** A book and its reader, with the same state type. */
export function reader<S>(book: string, read: (desk: Desk) => Promise<Found<S>[]>) {
  return {
    of: ({ ledger }: Desk): Book<S> => ledger.book<S>(book),
    reader: { book, read } satisfies Reader,
  }
}

/** Reads every page of a list. */
export async function everyPage<T>(page: (offset: number) => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const some = await page(all.length)
    all.push(...some)
    if (some.length < pageLength) return all
  }
}
/** Maximum length of a page in the API's lists. */
export const pageLength = 200

/** For requests after a write's first one: their failure doesn't mean that nothing was written. */
export const following = <T>(request: Promise<T>): Promise<T> =>
  request.catch((error: unknown) => {
    throw new Error(`A later step failed: ${String(error)}`) // omits the cause, because the ledger would judge by it
  })
