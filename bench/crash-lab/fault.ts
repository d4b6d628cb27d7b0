import type { Client } from "../../src/shared/client/http-client.ts"
import type { LabBox } from "./lab-box.ts"
import type { Random } from "./random.ts"

export interface Struck {
  box: LabBox
  client: Client
  dataDir: string
  random: Random
  /** Settles when so many more writes are acknowledged, or the box has ended. */
  afterWrites(count: number): Promise<void>
  /** The same for writes that were tried, whatever came of them. */
  afterTries(count: number): Promise<void>
  /** From now on the box has ten seconds to name the fault. Settles when it has, or they are over. */
  strikes(): Promise<unknown>
}

/** A data directory without a box. */
export type AtRest = Pick<Struck, "dataDir" | "random">

/** Something that befalls a box while it is written to, and its files before it starts again. */
export interface Fault {
  name: string
  /** While writes go on. How the box ends afterwards; 0 is the exit code of a stop that was asked for. */
  underLoad(struck: Struck): Promise<{ end: NodeJS.Signals }>
  /** While no box runs. Answers where the data directory is from now on, if it is elsewhere. */
  atRest?(struck: AtRest): Promise<string | void>
  /** How far the box's clock is off in this round, in milliseconds; it is right again when the box is started next. */
  clockMs?: number
  /** What the box's log, or what it refuses meanwhile, says of the fault; missing where there is nothing that it can know. */
  named?: { while: "it goes on" | "it starts again"; by: RegExp }
  /** The box's own engine answers, with the lab's model file. */
  ownEngine?: boolean
}

const mostWritesBefore = 40

/** The box ends at any moment of the writes. */
export const endsBy =
  (end: NodeJS.Signals): Fault["underLoad"] =>
  async ({ random, afterWrites }) => {
    await afterWrites(random.below(mostWritesBefore))
    return { end }
  }

/** Several at once, so that a short run sees them all: the first one's end, and what happens to the files one after the other. */
export const together = (first: Fault, ...others: Fault[]): Fault => {
  const all = [first, ...others]
  const clock = all.find(({ clockMs }) => clockMs !== undefined)
  return {
    name: all.map(({ name }) => name).join(" + "),
    underLoad: first.underLoad,
    async atRest({ dataDir, random }) {
      let place = dataDir
      for (const { atRest } of all) place = (await atRest?.({ dataDir: place, random })) ?? place
      return place
    },
    ...(clock?.clockMs === undefined ? {} : { clockMs: clock.clockMs }),
    ...(first.named === undefined ? {} : { named: first.named }),
  }
}
