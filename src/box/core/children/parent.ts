import { constants } from "node:os"
import process from "node:process"
import { encodeMessage } from "./encode-message.ts"

/** The child's end of the channel (`child.ts` is the other end): a forked Node process or an Electron utility process. */
export interface Parent<Request, Reply> {
  send(message: Reply): void
  onMessage(listener: (message: Request) => void): void
}

interface ParentPort {
  postMessage(message: unknown): void
  on(event: "message", listener: (event: { data: unknown }) => void): void
}

/** Connects to the parent process, and ends this process when the parent is gone. */
export function connectToParent<Request, Reply>(): Parent<Request, Reply> {
  const port = (process as NodeJS.Process & { parentPort?: ParentPort }).parentPort
  if (port !== undefined) {
    return {
      send: (message) => port.postMessage(message),
      onMessage: (listener) => port.on("message", ({ data }) => listener(data as Request)),
    }
  }
  // `process.kill` calls this function, and both are removed when the process gives up its rights
  const { _kill: kill } = process as NodeJS.Process & { _kill(pid: number, signal: number): void }
  const end = (): void => kill(process.pid, constants.signals.SIGKILL)
  // SIGKILL instead of exit(): running native code would delay an orderly exit
  process.on("disconnect", end)
  return {
    send: (message) => {
      if (process.connected) process.send?.(encodeMessage(message), undefined, undefined, () => undefined)
    },
    onMessage: (listener) => process.on("message", (message) => listener(message as Request)),
  }
}
