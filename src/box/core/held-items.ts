import type { HeldItem } from "../../shared/contract/storage.ts"

/** What one feature holds of what a restored backup brought switched on, until an owner decides. */
export interface HeldItems {
  list(): Promise<(Omit<HeldItem, "person"> & { ownerId: string | null })[]>
  /** It works from now on as it did where the backup was made. */
  turnOn(id: string, by: string): Promise<void>
  /** It stays off, and isn't listed any more; its owner may turn it on as anything else that is off. */
  keepOff(id: string): Promise<void>
}
