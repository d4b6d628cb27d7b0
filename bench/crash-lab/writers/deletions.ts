import type { Undo } from "../../../src/shared/contract/deletions.ts"
import type { Book } from "../book.ts"
import type { Desk, Writer } from "../writer.ts"

/** Restores a removed item. Returns false if that wasn't acknowledged. */
type BringBack = (desk: Desk) => Promise<boolean>

/** The newest removal at each desk, by ledger. Desks change with each box, but removals can still be undone. */
const newest = new WeakMap<object, BringBack>()

/** Records an acknowledged removal. */
export function recordRemoval<S>(
  desk: Desk,
  book: Book<S>,
  { name, state }: { name: string; state: S | null },
  { token }: Undo,
): void {
  if (state === null) return
  newest.set(desk.ledger, (then) =>
    book.write({
      name,
      after: state,
      send: async () => void (await then.client.deletions.undo({ body: { token } })),
    }),
  )
}

export const deletions: Writer<"deletions"> = {
  writes: {
    async undo(desk) {
      const restored = newest.get(desk.ledger)
      if (!restored) return false
      newest.delete(desk.ledger)
      return restored(desk)
    },
  },
  readers: [],
}
