import type { Client } from "../../src/shared/client/http-client.ts"
import type { LabBox } from "./lab-box.ts"
import type { Random } from "./random.ts"

export interface FaultContext {
  box: LabBox
  client: Client
  dataDir: string
  random: Random
  /** Settles after `count` more writes are acknowledged, or when the box has ended. */
  afterWrites(count: number): Promise<void>
  /** Settles in the same way after attempted writes, whatever their result. */
  afterTries(count: number): Promise<void>
  /** Starts the ten seconds in which the box must name the fault. Settles when it has, or when they have passed. */
  strikes(): Promise<unknown>
}

/** A data directory whose box isn't running. */
export type AtRest = Pick<FaultContext, "dataDir" | "random">

/** A fault that affects a box during writes, and its files before the next start. */
export interface Fault {
  name: string
  /** Runs while writes continue. Returns how the box ends afterwards; exit code 0 means a requested stop. */
  underLoad(struck: FaultContext): Promise<{ end: NodeJS.Signals }>
  /** Runs while the box is stopped. Returns the new data directory if it has moved. */
  whileStopped?(struck: AtRest): Promise<string | void>
  /** Offset of the box's clock in this round, in milliseconds. The clock is right again at the next start. */
  clockMs?: number
  /** Text in the box's log, or in its refusals during the fault, that names the fault. Missing if the box can't know about it. */
  named?: { while: "it goes on" | "it starts again"; by: RegExp }
  /** The box's built-in engine answers, with the lab's model file. */
  usesOwnEngine?: boolean
}

const maxWritesBefore = 40

/** Ends the box at a random moment during the writes. */
export const endsBy =
  (end: NodeJS.Signals): Fault["underLoad"] =>
  async ({ random, afterWrites }) => {
    await afterWrites(random.below(maxWritesBefore))
    return { end }
  }

/** Combines several faults, so that a short run covers them all: the first fault's end, then each fault's changes to the files in turn. */
export const together = (first: Fault, ...others: Fault[]): Fault => {
  const all = [first, ...others]
  const clock = all.find(({ clockMs }) => clockMs !== undefined)
  return {
    name: all.map(({ name }) => name).join(" + "),
    underLoad: first.underLoad,
    async whileStopped({ dataDir, random }) {
      let directory = dataDir
      for (const { whileStopped } of all)
        directory = (await whileStopped?.({ dataDir: directory, random })) ?? directory
      return directory
    },
    ...(clock?.clockMs === undefined ? {} : { clockMs: clock.clockMs }),
    ...(first.named === undefined ? {} : { named: first.named }),
  }
}
