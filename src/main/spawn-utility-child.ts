import { utilityProcess } from "electron"
import {
  childPath,
  checkedListener,
  malformed,
  unwanted,
  type SpawnChild,
} from "../box/core/children/child.ts"

/** Starts the box's child processes as Electron utility processes. */
export const spawnUtilityChild: SpawnChild = ({ entry, env, execArgv = [], args = [], onOutput }) => {
  const child = utilityProcess.fork(childPath(entry), args, {
    env,
    execArgv,
    stdio: ["ignore", "pipe", onOutput ? "pipe" : "inherit"],
    serviceName: `Casella ${entry}`,
  })
  if (onOutput) child.stderr?.setEncoding("utf8").on("data", onOutput)
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
  })
  let running = true
  void exited.then(() => {
    running = false
  })
  let killed: string | undefined
  const kill = (why = unwanted): void => {
    killed ??= why
    // Electron's own kill only requests an exit, which a process stuck in native code ignores.
    if (running && child.pid !== undefined) process.kill(child.pid, "SIGKILL")
    else child.kill()
  }
  return {
    get pid() {
      return child.pid
    },
    send: (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a process, not a window
      if (running) child.postMessage(message)
    },
    onMessage: (shape, listener) =>
      child.on(
        "message",
        checkedListener(shape, listener, () => {
          kill(malformed)
        }),
      ),
    onBeat: (listener) => child.stdout?.on("data", listener),
    onExit: (listener) => child.once("exit", (code) => listener(killed ?? code)),
    kill,
    exited,
  }
}
