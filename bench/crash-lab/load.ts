import { setTimeout as pause } from "node:timers/promises"
import { createColleagueDesk, type Lab } from "./lab-desks.ts"
import type { LabBox } from "./lab-box.ts"
import { isMembers, writes } from "./registry.ts"
import type { Desk, MakeWrite } from "./writer.ts"

const writersAtOnce = 4
/** Pause when there is nothing to write or no box is listening. */
const unwrittenPauseMs = 5
/** Members' share of the writes that members can make too. */
const membersShare = 0.3

/** Writes at random until the signal is aborted, and prefers the least frequent kinds. */
export async function load(
  lab: Lab,
  own: Desk,
  box: LabBox,
  over: AbortSignal,
  onTried: (written: boolean) => void,
): Promise<void> {
  const { acknowledged, random } = lab
  const colleagues = createColleagueDesk(lab, own, box)
  const worker = async () => {
    while (!over.aborted) {
      const all = [...acknowledged]
      const min = Math.min(...all.map(([, count]) => count))
      const rare = all.filter(([, count]) => count === min)
      const [name] = random.oneOf(random() < 0.4 ? rare : all) ?? [""]
      const write = writes.get(name) as MakeWrite
      const desk = isMembers(name) && random() < membersShare ? colleagues : own
      const written = await write(desk).catch(() => false) // the box has ended or is about to end
      if (written) acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1)
      onTried(written)
      if (!written) await pause(unwrittenPauseMs)
    }
  }
  await Promise.all(Array.from({ length: writersAtOnce }, worker))
}
