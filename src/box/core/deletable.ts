import type { DeletionKind, Undo } from "../../shared/contract/deletions.ts"
import type { AlsoWrite, BegunTransaction } from "./database/database.ts"

/** Something that a person deleted: hidden at once, and removed for good when that can't be undone any more. */
export interface Deletion {
  ownerId: string
  kind: DeletionKind
  itemId: string
  /** JSON of what the item's feature needs to bring it back, and to remove it for good. */
  kept: string
}

/** Notes deletions in the transaction that hides the items; they are undone together. */
export type NoteDeletion = (transaction: BegunTransaction, ...deletions: Deletion[]) => Promise<Undo>

/** What a feature does with what it hid. */
export interface Deletable {
  /** Brings it back, in one write with `also`, which throws where that can't be any more. */
  restore(deletion: Deletion, also: AlsoWrite): Promise<void>
  /** Removes it for good. Nobody restores it any more; after a crash this is called again. */
  end(deletion: Deletion): Promise<void>
}
