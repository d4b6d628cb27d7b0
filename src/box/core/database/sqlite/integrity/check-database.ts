import { z } from "zod"
import { createAskedChildren } from "../../../children/ask-child.ts"
import type { ChildOptions, SpawnChild } from "../../../children/child.ts"
import { asUnusable } from "../open-sqlite.ts"

/** Something of a database that can't be trusted; `table` is null when it belongs to none, or nothing could be read. */
export const TableFault = z.object({ table: z.string().nullable(), problem: z.string() })
export type TableFault = z.infer<typeof TableFault>

export const CheckReport = z.object({ faults: z.array(TableFault) })
export type CheckReport = z.infer<typeof CheckReport>

export interface DatabaseChecker extends AsyncDisposable {
  /** Every page of a database that nobody writes to. @throws DatabaseUnusable when it is damaged. */
  requireSound(path: string, signal?: AbortSignal): Promise<void>
  /** Every table of a database that is in use, one after the other. */
  findFaults(path: string, signal?: AbortSignal): Promise<TableFault[]>
  /**
   * Copies the rows of an untrusted database into empty tables of the same names. Nothing else is copied, such as triggers. @throws DatabaseUnusable when it is damaged or has other tables.
   */
  copyRows(path: string, target: string, tables: readonly string[]): Promise<void>
}

/**
 * Reads databases of any size in a separate process, so that the box stays responsive. Takes about a second
 * per GB that the system holds in memory, else as long as the disk does. Throws the signal's reason.
 */
export function createDatabaseChecker(spawn: SpawnChild): DatabaseChecker {
  const children = createAskedChildren(spawn)

  async function ask(args: string[], signal?: AbortSignal): Promise<TableFault[]> {
    const child = { entry: "database-checker", env: {}, args } satisfies ChildOptions
    return (await children.ask(child, CheckReport, signal)).faults
  }

  function requireNone([fault]: readonly TableFault[]): void {
    if (fault) throw asUnusable(new Error(describeFault(fault)))
  }

  return {
    requireSound: async (path, signal) => requireNone(await ask([path, "still"], signal)),
    findFaults: (path, signal) => ask([path, "live"], signal),
    copyRows: async (path, target, tables) =>
      requireNone(await ask([path, "copy", target, JSON.stringify(tables)])),
    [Symbol.asyncDispose]: () => children[Symbol.asyncDispose](),
  }
}

const describeFault = ({ table, problem }: TableFault) => (table === null ? problem : `${table}: ${problem}`)
