import { z } from "zod"
import { createOneShotChildren } from "../../../children/start-child.ts"
import type { ChildOptions, SpawnChild } from "../../../children/child.ts"
import { toDatabaseUnusable } from "../open-sqlite.ts"

/** A fault in a database; `table` is null if it belongs to no table, or nothing could be read. */
export const TableFault = z.object({ table: z.string().nullable(), problem: z.string() })
export type TableFault = z.infer<typeof TableFault>

export const CheckReport = z.object({ faults: z.array(TableFault) })
export type CheckReport = z.infer<typeof CheckReport>

export interface DatabaseChecker extends AsyncDisposable {
  /** Checks every page of a database that no one writes to. @throws DatabaseUnusable if it is damaged. */
  requireSound(path: string, signal?: AbortSignal): Promise<void>
  /** Checks every table of a database that is in use, one after another. */
  findFaults(path: string, signal?: AbortSignal): Promise<TableFault[]>
  /**
   * Copies the rows of an untrusted database into empty tables with the same names. Nothing else, such as triggers, is copied. @throws
   * DatabaseUnusable if it is damaged or has other tables.
   */
  copyRows(path: string, target: string, tables: readonly string[]): Promise<void>
}

/**
 * Reads databases of any size in a separate process, so that the box stays responsive. Takes about a second per GB if the system has the
 * file in memory, otherwise as long as the disk needs. Throws the signal's reason.
 */
export function createDatabaseChecker(spawn: SpawnChild): DatabaseChecker {
  const children = createOneShotChildren(spawn)

  async function ask(args: string[], signal?: AbortSignal): Promise<TableFault[]> {
    const child = { entry: "database-checker", env: {}, args } satisfies ChildOptions
    return (await children.ask(child, CheckReport, signal)).faults
  }

  function requireNone([fault]: readonly TableFault[]): void {
    if (fault) throw toDatabaseUnusable(new Error(describeFault(fault)))
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
