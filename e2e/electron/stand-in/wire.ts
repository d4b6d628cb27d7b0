/** Calls between the two processes of the stand-in: the program, and the test with its browser. */
export interface Wire {
  call(method: string, ...args: unknown[]): Promise<unknown>
}

export type Methods = Record<string, (...args: never[]) => unknown>

type Message =
  | { id: number; method: string; args: unknown[] }
  | { id: number; value: unknown }
  | { id: number; error: string }

interface End {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
}

/** Handles the other end's calls with `methods`, and calls it. */
export function connect({ send, onMessage }: End, methods: Methods): Wire {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let last = 0

  async function answer(id: number, method: string, args: unknown[]): Promise<void> {
    try {
      const run = methods[method]
      if (!run) throw new Error(`There is no "${method}" at this end.`)
      send({ id, value: await run(...(args as never[])) })
    } catch (error) {
      send({ id, error: (error as Error).message })
    }
  }

  onMessage((raw) => {
    const message = raw as Message
    if ("method" in message) {
      void answer(message.id, message.method, message.args)
      return
    }
    const call = waiting.get(message.id)
    waiting.delete(message.id)
    if ("error" in message) call?.reject(new Error(message.error))
    else call?.resolve(message.value)
  })

  return {
    call(method, ...args) {
      const id = ++last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ id, method, args })
      })
    },
  }
}
