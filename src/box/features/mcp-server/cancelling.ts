import { z } from "zod"

const RequestId = z.union([z.string(), z.number()])
const Asking = z.object({ method: z.string(), id: RequestId })
const Cancelled = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: RequestId }),
})

/** Clients cancel a request by a message of its own, which comes as another request: brings the two together. */
export function createCancelling() {
  const asked = new Map<string, () => void>()
  const keyOf = (client: string, id: string | number) => `${client} ${typeof id} ${id}`

  return {
    /** Whether the message cancels something; if that is still being worked on, it ends. */
    cancel(client: string, message: unknown): boolean {
      const { data } = Cancelled.safeParse(message)
      if (data) asked.get(keyOf(client, data.params.requestId))?.()
      return data !== undefined
    },

    /** How a request is ended, until disposed. */
    note(client: string, message: unknown, end: () => void): Disposable {
      const { data } = Asking.safeParse(message)
      const key = data ? keyOf(client, data.id) : ""
      if (data) asked.set(key, end)
      return {
        [Symbol.dispose]: () => {
          if (asked.get(key) === end) asked.delete(key)
        },
      }
    },
  }
}
