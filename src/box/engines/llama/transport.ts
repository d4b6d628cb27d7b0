/** The model process's end of the wire: a forked Node process or an Electron utility process. */
export interface Transport<In, Out> {
  send(message: Out): void
  onMessage(listener: (message: In) => void): void
}

interface ParentPort {
  postMessage(message: unknown): void
  on(event: "message", listener: (event: { data: unknown }) => void): void
}

/** Connects to the process that started this one, and ends this one when that one is gone. */
export function connectToParent<In, Out>(): Transport<In, Out> {
  const port = (process as NodeJS.Process & { parentPort?: ParentPort }).parentPort
  if (port !== undefined)
    return {
      send: (message) => port.postMessage(message),
      onMessage: (listener) => port.on("message", ({ data }) => listener(data as In)),
    }
  // SIGKILL and not exit(): a native call that is running would hold an orderly exit up.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"))
  return {
    send: (message) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
    },
    onMessage: (listener) => process.on("message", (message) => listener(message as In)),
  }
}
