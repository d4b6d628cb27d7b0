import { z } from "zod"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { AutomationsDeps, FoundPassage } from "./context.ts"
import { getTrigger, getVectorIds, type AutomationRow } from "./store.ts"

/** Number of passages that form the answer. */
const maxPassages = 3
const Found = z.array(z.object({ fileName: z.string(), text: z.string() }))

/**
 * Looks up a standing question without a model, and notifies its owner if the text of the best passages has changed. The first lookup sends
 * no notification, because there is nothing to compare with.
 */
export async function answerStandingQuestion(
  { db, standingQuestions: { search, notify } }: Pick<AutomationsDeps, "db" | "standingQuestions">,
  automation: AutomationRow,
): Promise<void> {
  const { id, ownerId, prompt } = automation
  const trigger = getTrigger(automation)
  const followed = trigger.kind === "file" ? [trigger.vectorId] : []
  const folders = [...new Set([...followed, ...getVectorIds(automation)])]
  const now = (await search(ownerId, prompt, folders)).slice(0, maxPassages)
  const before = automation.found === null ? null : (readStored(Found, automation.found) ?? null)
  if (before && haveSameTexts(before, now)) return
  if (before) await notify(automation, ...differing(before, now))
  await db
    .updateTable("automations")
    .set({ found: JSON.stringify(now) })
    .where("id", "=", id)
    .execute()
}

/** Returns the passages that each list has and the other doesn't. If a list has none, returns its best passage. */
function differing(
  before: readonly FoundPassage[],
  now: readonly FoundPassage[],
): [FoundPassage[], FoundPassage[]] {
  const without = (some: readonly FoundPassage[], others: readonly FoundPassage[]) => {
    const left = some.filter(({ text }) => !others.some((other) => getText(other) === getText({ text })))
    return left.length > 0 ? left : some.slice(0, 1)
  }
  return [without(before, now), without(now, before)]
}

const getText = ({ text }: Pick<FoundPassage, "text">): string => text.replace(/\s+/g, " ").trim()

/** The files and the order of the passages are irrelevant. */
function haveSameTexts(one: readonly FoundPassage[], other: readonly FoundPassage[]): boolean {
  const toComparable = (passages: readonly FoundPassage[]) => JSON.stringify(passages.map(getText).toSorted())
  return toComparable(one) === toComparable(other)
}
