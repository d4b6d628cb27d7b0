import { z } from "zod"
import { createLifeWatch } from "../child-life.ts"
import type { Child, SpawnChild } from "../child.ts"
import { asUnusable } from "../database.ts"

/** Something of a database that can't be trusted; `table` is null when it belongs to none, or nothing could be read. */
export const TableFault = z.object({ table: z.string().nullable(), problem: z.string() })
export type TableFault = z.infer<typeof TableFault>

export const CheckReport = z.object({ faults: z.array(TableFault) })
export type CheckReport = z.infer<typeof CheckReport>

/** Of what a check that fails prints, in characters. */
const longestOutput = 1_000

export interface DatabaseChecker extends AsyncDisposable {
  /** Every page of a database that nobody writes to. @throws DatabaseUnusable when it is damaged. */
  requireSound(path: string, signal?: AbortSignal): Promise<void>
  /** Every table of a database that is in use, one after the other. */
  findFaults(path: string, signal?: AbortSignal): Promise<TableFault[]>
}

/**
 * Checks databases of any size in a process of its own, which only reads: the box goes on meanwhile. Takes about a second
 * per GB that the system holds in memory, else as long as the disk does. Throws the signal's reason.
 */
export function createDatabaseChecker(spawn: SpawnChild): DatabaseChecker {
  const closing = new AbortController()
  const running = new Set<Child>()

  async function check(path: string, mode: "live" | "still", caller?: AbortSignal): Promise<TableFault[]> {
    const signal = caller ? AbortSignal.any([caller, closing.signal]) : closing.signal
    signal.throwIfAborted()
    let said = ""
    const onOutput = (text: string) => void (said = (said + text).slice(0, longestOutput))
    const child = spawn({ entry: "database-checker", env: {}, args: [path, mode], onOutput })
    running.add(child)
    const { promise, resolve, reject } = Promise.withResolvers<TableFault[]>()
    const stop = () => child.kill()
    const rested = createLifeWatch(child).begin()
    signal.addEventListener("abort", stop, { once: true })
    child.onMessage(CheckReport, ({ faults }) => resolve(faults))
    child.onExit((reason) =>
      reject(new Error(`Checking the database ended early: ${String(reason)} ${said}`)),
    )
    try {
      return await promise
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener("abort", stop)
      rested()
      child.kill()
      await child.exited
      running.delete(child)
    }
  }

  return {
    async requireSound(path, signal) {
      const [fault] = await check(path, "still", signal)
      if (fault) throw asUnusable(new Error(describeFault(fault)))
    },
    findFaults: (path, signal) => check(path, "live", signal),
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("The box is shutting down."))
      await Promise.all([...running].map(({ exited }) => exited))
    },
  }
}

const describeFault = ({ table, problem }: TableFault) => (table === null ? problem : `${table}: ${problem}`)
