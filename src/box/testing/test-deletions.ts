import type { DbOf } from "../core/database/database.ts"
import { silentLogger } from "../core/logging/logger.ts"
import { createDeletions } from "../features/deletions/service.ts"
import { endDeletions } from "../features/deletions/store.ts"

/** Deletions that can be undone for `undoMs`, or until a test ends them. */
export function createTestDeletions(db: DbOf<"deletions">, undoMs = 60_000) {
  const deletions = createDeletions({ db, logger: silentLogger, undoMs })
  return {
    deletions,
    async endDeletions() {
      await endDeletions(db)
      await deletions.start()
    },
  }
}
