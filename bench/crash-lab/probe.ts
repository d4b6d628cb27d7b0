import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { LabBox } from "./lab-box.ts"

const program = fileURLToPath(new URL("probe-process.ts", import.meta.url))

/** Somebody else who uses the box meanwhile, from a process of their own. */
export interface Probe {
  /** The longest that the box kept them waiting, without what the machine ran others; ends it. */
  end(): Promise<number>
}

/** Settles once it asks. */
export async function startProbe({ url, pid }: LabBox, key: string): Promise<Probe> {
  const child = fork(program, [url, String(pid)], { env: { ...process.env, CASELLA_LAB_KEY: key } })
  await once(child, "message")
  return {
    async end() {
      child.send("How long?")
      const [longestMs] = (await once(child, "message")) as [number]
      child.disconnect()
      await once(child, "exit")
      return longestMs
    },
  }
}
