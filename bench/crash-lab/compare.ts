import type { LedgerFault } from "./book.ts"
import { createColleagueDesk, createDesk, type Lab } from "./lab-desks.ts"
import type { LabBox } from "./lab-box.ts"
import { membersReaders, readers } from "./registry.ts"

/** Compares the ledger with the box's data, which is expected from then on. */
export async function settle(lab: Lab, box: LabBox): Promise<LedgerFault[]> {
  const found: LedgerFault[] = []
  const own = createDesk(lab, box)
  for (const [desk, all] of [
    [own, readers],
    [createColleagueDesk(lab, own, box), membersReaders],
  ] as const)
    for (const { book, read } of all) found.push(...desk.ledger.book(book).settle(await read(desk)))
  return found
}

/** Compares in the same way, and counts the faults. */
export async function compare(lab: Lab, box: LabBox): Promise<LedgerFault[]> {
  const found = await settle(lab, box)
  for (const { kind } of found) lab.kinds[kind]++
  return found
}

export const sentence = (round: string) => (fault: LedgerFault | string) =>
  typeof fault === "string"
    ? `${round}: ${fault}`
    : `${round}: ${fault.book} ${fault.name} is ${fault.kind}: expected ${JSON.stringify(fault.expected)}, found ${JSON.stringify(fault.found)}`
