import { constants } from "node:os"
import process from "node:process"
import { encodeMessage } from "./encode-message.ts"

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
  // what `process.kill` calls, which is taken away with it when rights are given up
  const { _kill: kill } = process as NodeJS.Process & { _kill(pid: number, signal: number): void }
  const end = (): void => kill(process.pid, constants.signals.SIGKILL)
  // SIGKILL and not exit(): native code that is running would hold an orderly exit up
  process.on("disconnect", end)
  return {
    send: (message) => {
      if (process.connected) process.send?.(encodeMessage(message), undefined, undefined, () => undefined)
    },
    onMessage: (listener) => process.on("message", (message) => listener(message as Request)),
  }
}
