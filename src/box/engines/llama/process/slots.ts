/** A slot in the shared context that keeps one chat's evaluated tokens between its turns. */
export interface Slot {
  conversationKey: string | null
  /** Tokens evaluated so far. */
  readonly tokens: readonly number[]
  busy: boolean
  /** Order of use; 0 if never used. */
  lastUsed: number
}

/**
 * Returns the free slot to answer in. The chat's own slot comes first, then the one whose content this prompt reuses most (the same chat
 * sent without a key, or a repeated prompt), then the one unused for longest. Returns null when all are busy.
 */
export function chooseSlot<S extends Slot>(
  slots: readonly S[],
  prompt: readonly number[],
  conversationKey: string | null,
): S | null {
  const free = slots.filter((slot) => !slot.busy)
  const own = free.find((slot) => conversationKey !== null && slot.conversationKey === conversationKey)
  if (own !== undefined) return own
  const [best] = free
    .map((slot) => ({ slot, common: commonPrefix(slot.tokens, prompt) }))
    .filter(({ slot, common }) => common > 0 && common >= slot.tokens.length * getMinCommonShare(slot))
    .sort((a, b) => b.common - a.common || owned(a.slot) - owned(b.slot))
  return best?.slot ?? free.sort((a, b) => a.lastUsed - b.lastUsed)[0] ?? null
}

const owned = ({ conversationKey }: Slot) => (conversationKey === null ? 0 : 1)

/**
 * Returns the slot to evaluate a prefix in before its chat starts: one that already holds part of it, otherwise the one unused for longest.
 * Returns null if a slot already holds the prefix, or if the newest answer's chat would lose its slot.
 */
export function chooseSpareSlot<S extends Slot>(slots: readonly S[], prefix: readonly number[]): S | null {
  const spare = slots.filter((slot) => !slot.busy && slot.conversationKey === null)
  const held = spare.find((slot) => commonPrefix(slot.tokens, prefix) === prefix.length)
  if (held !== undefined) return null
  const partialSlot = spare.find(
    (slot) => slot.tokens.length > 0 && commonPrefix(slot.tokens, prefix) === slot.tokens.length,
  )
  if (partialSlot !== undefined) return partialSlot
  const oldestFirst = slots.toSorted((a, b) => a.lastUsed - b.lastUsed)
  const newest = oldestFirst.at(-1)
  return oldestFirst.find((slot) => !slot.busy && (slot !== newest || slot.conversationKey === null)) ?? null
}

/** A slot with another chat's tokens is reused only if almost none of them would be lost. */
function getMinCommonShare(slot: Slot): number {
  return slot.conversationKey === null ? 0.5 : 0.9
}

/** Length of the common prefix of two token lists. */
export function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const limit = Math.min(a.length, b.length)
  let length = 0
  while (length < limit && a[length] === b[length]) length++
  return length
}
