import { z } from "zod"

const RequestId = z.union([z.string(), z.number()])
const Asking = z.object({ method: z.string(), id: RequestId })
const Cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: RequestId }),
})

/** Matches a client's cancellation to its request, because the cancellation arrives as a separate request. */
export function createCancelling() {
  const asked = new Map<string, () => void>()
  const getKey = (client: string, id: string | number) => `${client} ${typeof id} ${id}`

  return {
    /** Whether the message is a cancellation. Aborts the request it names if that is still running. */
    cancel(client: string, message: unknown): boolean {
      const { data } = Cancelled.safeParse(message)
      if (data) asked.get(getKey(client, data.params.requestId))?.()
      return data !== undefined
    },

    /** Registers how to end a request, until disposed. */
    note(client: string, message: unknown, end: () => void): Disposable {
      const { data } = Asking.safeParse(message)
      const key = data ? getKey(client, data.id) : ""
      if (data) asked.set(key, end)
      return {
        [Symbol.dispose]: () => {
          if (asked.get(key) === end) asked.delete(key)
        },
      }
    },
  }
}
