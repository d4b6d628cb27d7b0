import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { z } from "zod"
import { readStored } from "./stored-json.ts"

/**
 * What is taken for now where something is deleted or ends because of its age. It is never ahead of the system's clock,
 * and follows a jump forward, or a long time in which the box didn't run, by a week a day at most.
 */
export interface AgeClock extends Disposable {
  /** In ms since 1970. */
  now(): number
}

const dayMs = 24 * 3_600_000
const furthestMs = 7 * dayMs

const Seen = z.object({ now: z.number() })

/** @param path where it keeps what it has come to: it is compared at the next start. */
export function openAgeClock(path: string): AgeClock {
  let settledAt = performance.now()
  let settled = follow(read(path) ?? Date.now())
  write()
  const timer = setInterval(settle, dayMs).unref()

  const passed = () => settled + performance.now() - settledAt
  function settle(): void {
    settled = follow(passed())
    settledAt = performance.now()
    write()
  }
  function write(): void {
    try {
      writeFileSync(`${path}.new`, JSON.stringify({ now: settled } satisfies z.infer<typeof Seen>))
      renameSync(`${path}.new`, path)
    } catch {
      // on a full disk it stays where it was
    }
  }

  return {
    now: () => Math.min(Date.now(), passed()),
    [Symbol.dispose]() {
      clearInterval(timer)
      settle()
    },
  }
}

/** A clock that went back leaves it where it is: what it had come to by then was the time, or nothing is as old. */
const follow = (ms: number): number => Math.max(ms, Math.min(Date.now(), ms + furthestMs))

function read(path: string): number | undefined {
  try {
    return readStored(Seen, readFileSync(path, "utf8"))?.now
  } catch {
    return undefined // the first start, or a restored backup
  }
}
