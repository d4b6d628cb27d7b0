import type { HeldItem } from "../../shared/contract/storage.ts"

/** An item as its feature lists it. */
export type ListedItem = Omit<HeldItem, "person"> & { ownerId: string | null }

/** Items of one feature that were on in a restored backup and stay off until an owner decides. */
export interface HeldItems {
  list(): Promise<ListedItem[]>
  /** Turns an item on as it was when the backup was made. `key` is the API key that the owner entered, for an item that is one. */
  turnOn(id: string, by: string, key?: string): Promise<void>
  /** Leaves an item off and removes it from the list. Its owner can turn it on later like any other item. */
  leaveOff(id: string): Promise<void>
}

/** Key of the value that a restore stores and that is removed after owners are notified. */
export const restoreIdKey = "restoreId"
