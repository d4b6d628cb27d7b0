import { fileURLToPath } from "node:url"
import { z } from "zod"
import { type Child, forkChild, type SpawnChild, everythingIn } from "../../core/children/child.ts"
import type { SystemSandbox } from "../../core/children/sandbox/system-sandbox.ts"

const attacker = new URL("./attacker.mjs", import.meta.url).href
/** Child processes may only read built programs. This also lets them read the sources that tests preload. */
export const allowSources = `--allow-fs-read=${everythingIn(fileURLToPath(new URL("../../..", import.meta.url)))}`

export type Outcome = { got: string } | { refused: string } | { ended: number | string | null }

export interface Target {
  port: number
  canary: string
  /** Path of a listening socket. */
  socket: string
  /** Directory in which nothing may be created. */
  outside: string
  database: string
}

/** Starts child processes as the box does, except that a test can make them attack. */
export function createHostileSpawn(sandbox: SystemSandbox) {
  const children: Child[] = []
  const spawn: SpawnChild = (options) => {
    const forked = forkChild(
      {
        ...options,
        execArgv: [allowSources, "--import", attacker, ...(options.execArgv ?? [])],
        onOutput: () => undefined,
      },
      sandbox,
    )
    const child: Child = {
      ...forked,
      // attack results aren't passed to the code that owns the child
      onMessage: (shape, listener) =>
        forked.onMessage(z.union([attacking, z.object({ attacking: z.literal(true) }), shape]), (message) => {
          const parsed = attacking.safeParse(message)
          if (typeof message === "object" && message !== null && "attacking" in message) return
          if (parsed.success) hearing.get(child)?.(parsed.data.attacked)
          else listener(message as z.infer<typeof shape>)
        }),
    }
    child.onExit((reason) => hearing.get(child)?.({ ended: reason }))
    children.push(child)
    return child
  }
  return { spawn, children }
}

const attacking = z.object({ attacked: z.custom<Outcome>((value) => typeof value === "object") })

const hearing = new WeakMap<Child, (outcome: Outcome) => void>()

/** Makes a child process run an attack. The attack may end the process. */
export async function attack(child: Child, kind: string, name: string, target: Target): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  hearing.set(child, resolve)
  child.send({ attack: { kind, name, target } })
  return promise
}
