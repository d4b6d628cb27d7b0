import { safeStorage, utilityProcess, app } from "electron"
import {
  childPath,
  checkedListener,
  malformed,
  unwanted,
  type SpawnChild,
} from "../box/core/children/child.ts"
import { writeOutput } from "../box/core/logging/logger.ts"
import type { Seal } from "../box/core/secret-store.ts"
import type { RunningBox } from "../box/start-box.ts"

/** Encrypts with the system's keychain. Returns null if there is none, as on a Linux desktop without a key ring. */
export async function systemSeal(): Promise<Seal | null> {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return null
  // Chromium's fallback uses a key built into the program, so it protects nothing.
  if (process.platform === "linux" && safeStorage.getSelectedStorageBackend() === "basic_text") return null
  return {
    async close(value) {
      return (await safeStorage.encryptStringAsync(value)).toString("base64")
    },
    async open(sealed) {
      return (await safeStorage.decryptStringAsync(Buffer.from(sealed, "base64"))).result
    },
  }
}

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

/** Time for the box to store running work before the app exits anyway. */
const stopTimeoutMs = 5_000

/** Shuts the box down cleanly before the app exits. */
export function stopWithApp(box: RunningBox): void {
  let stopping = false
  app.on("will-quit", (event) => {
    event.preventDefault()
    if (stopping) return
    stopping = true
    setTimeout(() => app.exit(1), stopTimeoutMs)
    box[Symbol.asyncDispose]().then(
      () => app.exit(0),
      (error: unknown) => {
        writeOutput(process.stderr, `The server didn't stop cleanly: ${String(error)}\n`)
        app.exit(1)
      },
    )
  })
}
