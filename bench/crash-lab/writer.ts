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

/** What a writer works with: the box as any program sees it, and the ledger. */
export interface Desk {
  /** The owner's. */
  client: Client
  /** Of another person, whose facts and chats nobody else deletes. */
  member: Client
  url: string
  ledger: Pick<Ledger, "book">
  /** What the box's model answers. */
  answerTo(question: string): string
  /** Whether the model calls tools. */
  callsTools: boolean
  random: Random
  /** A directory for files that the box is to find. */
  directory: string
  /** A name that no thing has had. */
  name(kind: string): string
}

/** Makes one write at random and enters it into the ledger. False when there is nothing to write now, or it wasn't acknowledged. */
export type MakeWrite = (desk: Desk) => Promise<boolean>

/** Why an endpoint isn't written through. */
export interface NotWritten {
  none: string
}

/** Everything of one kind that the box shows, under the names that the lab gave. */
export interface Reader {
  book: string
  read(desk: Desk): Promise<Found<unknown>[]>
}

/** How a feature's writes are made and found again. An endpoint that isn't named here doesn't compile. */
export interface Writer<F extends Feature> {
  /** Made once, on the first start. */
  setUp?(desk: Desk): Promise<void>
  writes: { [N in WritingEndpoint<F>]: MakeWrite | NotWritten }
  readers: Reader[]
}

/** A book with its reader, whose states have the same type. */
export function reader<S>(book: string, read: (desk: Desk) => Promise<Found<S>[]>) {
  return {
    of: ({ ledger }: Desk): Book<S> => ledger.book<S>(book),
    reader: { book, read } satisfies Reader,
  }
}

/** Every page of a list. */
export async function everyPage<T>(page: (offset: number) => Promise<T[]>): Promise<T[]> {
  const all: T[] = []
  for (;;) {
    const some = await page(all.length)
    all.push(...some)
    if (some.length < pageLength) return all
  }
}
/** What the lists of the API give at most. */
export const pageLength = 200

/** For what follows a write's first request: its failure doesn't say that nothing was written. */
export const following = <T>(request: Promise<T>): Promise<T> =>
  request.catch((error: unknown) => {
    throw new Error(`A later step failed: ${String(error)}`) // without its cause, which the ledger would judge by
  })
