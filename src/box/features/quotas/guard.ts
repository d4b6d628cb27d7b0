import type { Limits, OwnLimits, OwnQuota, Quotas } from "../../../shared/contract/quotas.ts"
import type { DbOf } from "../../core/database/database.ts"

/** Refuses what goes beyond a limit. */
export interface QuotaGuard {
  /** Throws `quota_full` where there is no room for it now. */
  requireRoom(userId: string, wanted: { files: number; bytes: number }): Promise<void>
  /** As `requireRoom`, and does the work before anybody else is let in, so that two don't take the same room. */
  withRoom<T>(userId: string, wanted: { files: number; bytes: number }, work: () => Promise<T>): Promise<T>
  /** Counts an answer that begins. Throws `quota_exceeded`. */
  beginAnswer(userId: string): Promise<void>
  /** Counts what an answer used; it isn't cut short by that, the next one is refused. */
  answerUsed(userId: string, tokens: number): Promise<void>
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

/** Until there is a limit, or somebody asks for them, each is a look at what is remembered and the rest isn't loaded. */
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
    async beginAnswer(userId) {
      if (!(await isOff())) await (await open()).beginAnswer(userId)
    },
    async answerUsed(userId, tokens) {
      if (!(await isOff())) await (await open()).answerUsed(userId, tokens)
    },
  } satisfies QuotaGuard & { open(): Promise<QuotaService> }
}
