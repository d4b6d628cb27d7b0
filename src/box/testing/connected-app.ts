import { once } from "node:events"
import { WebSocket } from "ws"
import { SocketMessage, socketPath } from "../../shared/contract/socket.ts"

type MessageOf<Type extends SocketMessage["type"]> = Extract<SocketMessage, { type: Type }>

/** An app connected to the box's WebSocket that keeps all messages. */
export interface ConnectedApp extends Disposable {
  socket: WebSocket
  /** All messages so far, starting with `hello`. */
  messages: SocketMessage[]
  /** Waits for the next message of this type that `next` hasn't returned yet. */
  next<Type extends SocketMessage["type"]>(type: Type): Promise<MessageOf<Type>>
}

/** Connects as the app does. Resolves after `hello` arrives. */
export async function connectApp(url: string, key: string): Promise<ConnectedApp> {
  const socket = new WebSocket(url.replace("http", "ws") + socketPath, { headers: { "x-api-key": key } })
  const messages: SocketMessage[] = []
  const taken = new Map<string, number>()
  socket.on("message", (data: Buffer) => {
    messages.push(SocketMessage.parse(JSON.parse(data.toString("utf8"))))
  })
  await once(socket, "message")
  return {
    socket,
    messages,
    async next<Type extends SocketMessage["type"]>(type: Type) {
      const index = taken.get(type) ?? 0
      taken.set(type, index + 1)
      for (;;) {
        const found = messages.filter((message): message is MessageOf<Type> => message.type === type)[index]
        if (found) return found
        await once(socket, "message")
      }
    },
    [Symbol.dispose]: () => socket.terminate(),
  }
}
