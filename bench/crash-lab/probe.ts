import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { LabBox } from "./lab-box.ts"

const program = fileURLToPath(new URL("probe-process.ts", import.meta.url))

/** Another user of the box, in a separate process. */
export interface Probe {
  /** Ends the probe. Returns the longest wait that the box caused, without the time in which the machine ran other processes. */
  end(): Promise<number>
}

/** Resolves when the probe has started its requests. */
export async function startProbe({ url, pid }: LabBox, key: string): Promise<Probe> {
  const child = fork(program, [url, String(pid)], { env: { ...process.env, CASELLA_LAB_KEY: key } })
  await once(child, "message")
  return {
    async end() {
      child.send("How long?")
      const [timeoutMs] = (await once(child, "message")) as [number]
      child.disconnect()
      await once(child, "exit")
      return timeoutMs
    },
  }
}
