import { delegationKey, memoryKey } from "../../../tools/registry.ts"
import { toolsOn, type TurnRequest } from "./turn.ts"

/** Where a key with scopes may have written what an answer follows. */
export interface ScopedKeyWords {
  box: {
    delegates(userId: string): Promise<{ isByScopedKey: boolean }[]>
    hasFactsOfScopedKeys(userId: string): Promise<boolean>
  }
  transcript: { isByScopedKey(ownerId: string, chatId: string): Promise<boolean> }
}

/**
 * Whether a scoped key wrote the assistant, a question of the chat, a fact that the assistant or one that it gives a task may read, or an
 * assistant that may get a task.
 */
export async function followsScopedKey(
  { box, transcript }: ScopedKeyWords,
  userId: string,
  chatId: string,
  turn: Pick<TurnRequest, "assistant" | "builtInTools">,
): Promise<boolean> {
  if (turn.assistant?.isByScopedKey === true || (await transcript.isByScopedKey(userId, chatId))) return true
  const switchedOn = toolsOn(turn)
  const delegates = switchedOn[delegationKey] === true
  if (!delegates && switchedOn[memoryKey] !== true) return false
  if (await box.hasFactsOfScopedKeys(userId)) return true
  return delegates && (await box.delegates(userId)).some(({ isByScopedKey }) => isByScopedKey)
}
