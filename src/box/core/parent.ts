import process from "node:process"

/** A child process's end of the wire (`child.ts` is the other): a forked Node process or an Electron utility process. */
export interface Parent<Request, Reply> {
  send(message: Reply): void
  onMessage(listener: (message: Request) => void): void
}

interface ParentPort {
  postMessage(message: unknown): void
  on(event: "message", listener: (event: { data: unknown }) => void): void
}

/** Connects to the process that started this one, and ends this one when that one is gone. */
export function connectToParent<Request, Reply>(): Parent<Request, Reply> {
  const port = (process as NodeJS.Process & { parentPort?: ParentPort }).parentPort
  if (port !== undefined) {
    return {
      send: (message) => port.postMessage(message),
      onMessage: (listener) => port.on("message", ({ data }) => listener(data as Request)),
    }
  }
  // SIGKILL and not exit(): native code that is running would hold an orderly exit up
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"))
  return {
    send: (message) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
    },
    onMessage: (listener) => process.on("message", (message) => listener(message as Request)),
  }
}
