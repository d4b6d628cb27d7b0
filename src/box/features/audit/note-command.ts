import type { AuditAction } from "../../../shared/contract/audit-log.ts"
import type { DbOf } from "../../core/database/database.ts"
import { createAuditStore, recordOutcome, type AuditSubject } from "./audit-store.ts"

/** Runs a command-line action with an audit entry. The user at the terminal has no account. */
export async function noteCommand<T>(
  db: DbOf<"audit">,
  action: AuditAction,
  subject: AuditSubject,
  work: () => Promise<T>,
): Promise<T> {
  const store = createAuditStore(db)
  const id = await store.begin({
    actorId: null,
    actorName: null,
    actorEmail: null,
    via: "command",
    keyId: null,
    keyName: null,
    keyPrefix: null,
    action,
    subjectId: subject.id,
    subjectName: subject.name,
    details: {},
    requestId: null,
  })
  return recordOutcome(store, id, work, { unwritten: () => undefined })
}
