import type { Insertable, Selectable } from "kysely"
import { getAuditGroup } from "../../../shared/audit-groups.ts"
import {
  AuditAction,
  AuditDetails,
  type AuditEntry,
  type AuditGroup,
} from "../../../shared/contract/audit-log.ts"
import { maxIdLength } from "../../../shared/contract/primitives.ts"
import type { DbOf } from "../../core/database/database.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { newId, timestamp } from "../../core/ids.ts"

type Rows = TablesOf<"audit">["auditLog"]
export interface AuditFilter {
  limit: number
  before?: string | undefined
  action?: AuditAction | undefined
  group?: AuditGroup | undefined
  actorId?: string | undefined
}
export interface AuditSubject {
  id: string | null
  name: string | null
}
/** The parts of an entry that are known before the action. */
export type StartedAction = Omit<Insertable<Rows>, "id" | "at" | "outcome" | "details"> & {
  details: AuditDetails
}

const maxTextLength = 500
const cut = (text: string | null | undefined, length = maxTextLength) => text?.slice(0, length) ?? null
/** A client may send an id of any length. It is cut so that the entry fits the contract. */
const cutId = (id: string | null | undefined) => cut(id, maxIdLength)

export function createAuditStore(db: DbOf<"audit">) {
  return {
    /** Writes the entry before the action, so that no action is without an entry. */
    async begin({ details, ...action }: StartedAction): Promise<string> {
      const id = newId()
      await db
        .insertInto("auditLog")
        .values({
          ...action,
          id,
          at: timestamp(),
          actorName: cut(action.actorName),
          keyName: cut(action.keyName),
          subjectName: cut(action.subjectName),
          subjectId: cutId(action.subjectId),
          details: JSON.stringify(details),
          outcome: "begun",
        })
        .execute()
      return id
    },

    /** Whether a user has at least `count` entries since then. */
    async hasSince(actorId: string, since: string, count: number): Promise<boolean> {
      const oldest = await db
        .selectFrom("auditLog")
        .select("at")
        .where("actorId", "=", actorId)
        .orderBy("id", "desc")
        .limit(1)
        .offset(count - 1)
        .executeTakeFirst()
      return oldest !== undefined && oldest.at >= since
    },

    async end(id: string, outcome: "done" | "failed", subject?: AuditSubject): Promise<void> {
      await db
        .updateTable("auditLog")
        .set({ outcome, ...(subject && { subjectId: cutId(subject.id), subjectName: cut(subject.name) }) })
        .where("id", "=", id)
        .where("outcome", "=", "begun")
        .execute()
    },

    async list({ limit, before, action, group, actorId }: AuditFilter): Promise<AuditEntry[]> {
      let query = db.selectFrom("auditLog").selectAll()
      // Unknown actions, for example from a later version, aren't shown.
      const known = AuditAction.options.filter((each) => group === undefined || getAuditGroup(each) === group)
      query = query.where("action", "in", known)
      if (action !== undefined) query = query.where("action", "=", action)
      if (before !== undefined) query = query.where("id", "<", before)
      if (actorId !== undefined) query = query.where("actorId", "=", actorId)
      return (await query.orderBy("id", "desc").limit(limit).execute()).map(toEntry)
    },

    /** Deletes entries older than `before`, and all but the newest `maxKept`. */
    async trim(before: string, maxKept: number): Promise<void> {
      await db
        .deleteFrom("auditLog")
        .where((e) =>
          e.or([
            e("at", "<", before),
            e(
              "id",
              "<=",
              e.selectFrom("auditLog").select("id").orderBy("id", "desc").limit(1).offset(maxKept),
            ),
          ]),
        )
        .execute()
    },
  }
}
export type AuditStore = ReturnType<typeof createAuditStore>

/**
 * Performs the action of an entry and records how it ended. If that can't be recorded, the entry stays `begun`, whether or not the action
 * succeeded.
 */
export async function recordOutcome<T>(
  store: Pick<AuditStore, "end">,
  id: string,
  work: () => Promise<T>,
  {
    getSubject,
    unwritten,
  }: { getSubject?(result: T): AuditSubject | undefined; unwritten(error: unknown): void },
): Promise<T> {
  try {
    const result = await work()
    await store.end(id, "done", getSubject?.(result)).catch(unwritten)
    return result
  } catch (error) {
    await store.end(id, "failed").catch(unwritten)
    throw error
  }
}

function toEntry(row: Selectable<Rows>): AuditEntry {
  const { id, at, via, action, requestId, outcome } = row
  return {
    id,
    at,
    actor:
      row.actorId === null
        ? null
        : { id: row.actorId, name: row.actorName ?? "", email: row.actorEmail ?? "" },
    via,
    key: row.keyId === null ? null : { id: row.keyId, name: row.keyName ?? "", prefix: row.keyPrefix ?? "" },
    action,
    subject:
      row.subjectId === null && row.subjectName === null
        ? null
        : { id: cutId(row.subjectId), name: row.subjectName },
    details: readDetails(row.details),
    requestId,
    outcome,
  }
}

function readDetails(text: string): AuditDetails {
  try {
    return AuditDetails.catch({}).parse(JSON.parse(text))
  } catch {
    return {}
  }
}

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
