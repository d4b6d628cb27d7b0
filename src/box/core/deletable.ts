import type { DeletionKind, Undo } from "../../shared/contract/deletions.ts"
import type { AlsoWrite, AnyTransaction } from "./database/database.ts"

/** An item that a user deleted: hidden at once, and permanently removed when the deletion can't be undone any more. */
export interface Deletion {
  ownerId: string
  kind: DeletionKind
  itemId: string
  /** JSON that the item's feature needs to restore it or to remove it permanently. */
  kept: string
}

/** Records deletions in the transaction that hides the items; they are undone together. */
export type NoteDeletion = (transaction: AnyTransaction, ...deletions: Deletion[]) => Promise<Undo>

/** A feature's operations on its hidden items. */
export interface Deletable {
  /** Restores the item in one write together with `also`, which throws if that is no longer possible. */
  restore(deletion: Deletion, also: AlsoWrite): Promise<void>
  /** Removes the item permanently. It can't be restored after this; after a crash, this is called again. */
  end(deletion: Deletion): Promise<void>
}
