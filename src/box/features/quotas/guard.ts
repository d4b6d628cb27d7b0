import type { Limits, OwnLimits, OwnQuota, Quotas } from "../../../shared/contract/quotas.ts"
import type { DbOf } from "../../core/database/database.ts"

/** Refuses requests that exceed a limit. */
export interface QuotaGuard {
  /** Throws `quota_full` if there is no room at the moment. */
  requireRoom(userId: string, wanted: { files: number; bytes: number }): Promise<void>
  /** Like `requireRoom`, and runs the work before anyone else is admitted, so that two requests don't use the same room. */
  withRoom<T>(userId: string, wanted: { files: number; bytes: number }, work: () => Promise<T>): Promise<T>
  /** Counts an answer that starts. Throws `quota_exceeded`. */
  countAnswer(userId: string): Promise<void>
  /** Counts the tokens that an answer used. It isn't cut short when it exceeds the limit; the next one is refused. */
  recordTokens(userId: string, tokens: number): Promise<void>
}

export interface QuotaService extends QuotaGuard {
  list(): Promise<Quotas>
  own(userId: string): Promise<OwnQuota>
  set<L extends Limits | OwnLimits>(
    kind: "everybody" | "person" | "workspace",
    id: string,
    limits: L,
  ): Promise<L>
}

/** While there is no limit and no one has opened the quotas, each call only checks a cached value and the quota code isn't loaded. */
export function createQuotaGuard(db: DbOf<"quotas">, load: () => Promise<QuotaService>) {
  let opened: Promise<QuotaService> | null = null
  let any: Promise<boolean> | null = null

  const open = () =>
    (opened ??= load().catch((error: unknown) => {
      opened = null
      throw error
    }))

  const isAny = () =>
    (any ??= db
      .selectFrom("quotas")
      .select("kind")
      .limit(1)
      .executeTakeFirst()
      .then(
        (row) => row !== undefined,
        (error: unknown) => {
          any = null
          throw error
        },
      ))

  const isOff = async () => opened === null && !(await isAny()) && opened === null

  return {
    open,
    async requireRoom(userId, wanted) {
      if (!(await isOff())) await (await open()).requireRoom(userId, wanted)
    },
    async withRoom(userId, wanted, work) {
      return (await isOff()) ? work() : (await open()).withRoom(userId, wanted, work)
    },
    async countAnswer(userId) {
      if (!(await isOff())) await (await open()).countAnswer(userId)
    },
    async recordTokens(userId, tokens) {
      if (!(await isOff())) await (await open()).recordTokens(userId, tokens)
    },
  } satisfies QuotaGuard & { open(): Promise<QuotaService> }
}
