import { AppError } from "../../../shared/contract/errors.ts"
import type { Limits, OwnLimits, Quotas, Use } from "../../../shared/contract/quotas.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { DbOf } from "../../core/database/database.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { QuotaService } from "./guard.ts"
import { createQuotaStore, kinds, type AllLimits, type Kind } from "./store.ts"

export interface QuotaDeps {
  db: DbOf<"quotas">
  people(): Promise<{ id: string; name: string }[]>
  workspaces(): Promise<{ id: string; name: string }[]>
  getWorkspaces(userId: string): Promise<string[]>
  members(workspaceId: string): Promise<string[]>
  /** Total files and bytes in each person's folders, without deleted files. */
  stored(userIds: readonly string[]): Promise<Map<string, { files: number; bytes: number }>>
  /** For tests of days; current time in ms since 1970. */
  now?: () => number
}

/** Requested amounts of limited resources. */
type Wanted = Partial<Record<Kind, number>>

const dayMs = 24 * 3_600_000

export function createQuotas(deps: QuotaDeps): QuotaService {
  const { db, now = Date.now } = deps
  const store = createQuotaStore(db)
  const lock = createKeyedLock()
  let remembered: Promise<AllLimits> | null = null

  function limits(): Promise<AllLimits> {
    remembered ??= store.limits().catch((error: unknown) => {
      remembered = null
      throw error
    })
    return remembered
  }

  async function isLimited(): Promise<boolean> {
    const { everybody, people, workspaces } = await limits()
    return people.size > 0 || workspaces.size > 0 || kinds.some((kind) => everybody[kind] !== null)
  }

  const today = () => new Date(now()).toISOString().slice(0, 10)
  const resetsAt = () => new Date((Math.floor(now() / dayMs) + 1) * dayMs).toISOString()

  async function getUsage(userIds: readonly string[]): Promise<Map<string, Use>> {
    const [stored, used] = [await deps.stored(userIds), await store.used(userIds, today())]
    const use = (id: string): Use => ({
      ...(stored.get(id) ?? { files: 0, bytes: 0 }),
      ...(used.get(id) ?? { answers: 0, tokens: 0 }),
    })
    return new Map(userIds.map((id) => [id, use(id)]))
  }

  /** Throws if the requested amounts would exceed the limits. */
  function requireWithin(most: Limits, use: Use, wanted: Wanted, of: "" | "workspace_"): void {
    for (const kind of kinds) {
      const limit = most[kind]
      const more = wanted[kind]
      // Replacing a file with a smaller one is allowed, even beyond the limit.
      if (limit === null || more === undefined || more <= 0 || use[kind] + more <= limit) continue
      throw refusal(kind, { most: limit, used: use[kind], wanted: more }, of)
    }
  }

  function refusal(
    kind: Kind,
    { most, used, wanted }: { most: number; used: number; wanted: number },
    of: "" | "workspace_",
  ): AppError {
    const details = { limit: kind, most, used, of: of === "" ? "person" : "workspace" }
    if (kind === "bytes") {
      const values = { most: formatSize(most), used: formatSize(used), wanted: formatSize(wanted) }
      return new AppError("quota_full", sentence(`quotas.${of}bytes`, values), { details })
    }
    const said = sentence(`quotas.${of}${kind}`, { most, used })
    if (kind === "files") return new AppError("quota_full", said, { details })
    return new AppError("quota_exceeded", said, { details: { ...details, resetsAt: resetsAt() } })
  }

  async function require(userId: string, wanted: Wanted): Promise<void> {
    const { everybody, people, workspaces } = await limits()
    const own = getEffectiveLimits(everybody, people.get(userId))
    const concerns = (most: Limits) => kinds.some((kind) => most[kind] !== null && (wanted[kind] ?? 0) > 0)
    if (concerns(own)) requireWithin(own, getSum(await getUsage([userId])), wanted, "")
    if (workspaces.size === 0) return
    for (const id of await deps.getWorkspaces(userId)) {
      const most = workspaces.get(id)
      if (most && concerns(most))
        requireWithin(most, getSum(await getUsage(await deps.members(id))), wanted, "workspace_")
    }
  }

  return {
    async requireRoom(userId, wanted) {
      if (await isLimited()) await require(userId, wanted)
    },

    async withRoom(userId, wanted, work) {
      if (!(await isLimited())) return work()
      return lock.run("files", async () => {
        await require(userId, wanted)
        return work()
      })
    },

    async countAnswer(userId) {
      if (!(await isLimited())) return
      await lock.run("answers", async () => {
        await require(userId, { answers: 1, tokens: 1 })
        await store.add(userId, today(), { answers: 1 })
      })
    },

    async recordTokens(userId, tokens) {
      if (tokens > 0 && (await isLimited())) await store.add(userId, today(), { tokens })
    },

    async list() {
      const all = await limits()
      const [people, workspaces] = [await deps.people(), await deps.workspaces()]
      const use = await getUsage(people.map(({ id }) => id))
      const workspaceQuotas: Quotas["workspaces"] = []
      for (const { id, name } of workspaces) {
        const members = (await deps.members(id)).flatMap((member) => use.get(member) ?? [])
        const most = all.workspaces.get(id) ?? unlimited
        workspaceQuotas.push({ id, name, limits: most, use: getSum(members) })
      }
      return {
        default: all.everybody,
        people: people.map(({ id, name }) => ({
          id,
          name,
          limits: all.people.get(id) ?? unlimited,
          use: use.get(id) ?? zeroUse,
        })),
        workspaces: workspaceQuotas,
        resetsAt: resetsAt(),
      }
    },

    async own(userId) {
      const { everybody, people } = await limits()
      const use = getSum(await getUsage([userId]))
      return { limits: getEffectiveLimits(everybody, people.get(userId)), use, resetsAt: resetsAt() }
    },

    async set(kind, id, wanted) {
      if (kind === "person" && !(await deps.people()).some((person) => person.id === id))
        throw new AppError("not_found", sentence("quotas.no_person"))
      if (kind === "workspace" && !(await deps.workspaces()).some((workspace) => workspace.id === id))
        throw new AppError("not_found", sentence("quotas.no_workspace"))
      await store.set(kind, id, wanted).finally(() => (remembered = null))
      return wanted
    },
  }
}

const unlimited = { files: null, bytes: null, answers: null, tokens: null }
const zeroUse: Use = { files: 0, bytes: 0, answers: 0, tokens: 0 }

function getEffectiveLimits(everybody: Limits, own: OwnLimits = unlimited): Limits {
  const most = (kind: Kind) => (own[kind] === "unlimited" ? null : (own[kind] ?? everybody[kind]))
  return { files: most("files"), bytes: most("bytes"), answers: most("answers"), tokens: most("tokens") }
}

function getSum(uses: Iterable<Use> | Map<string, Use>): Use {
  const sum = { ...zeroUse }
  for (const use of uses instanceof Map ? uses.values() : uses)
    for (const kind of kinds) sum[kind] += use[kind]
  return sum
}

function formatSize(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"]
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1]
  return `${Math.floor(value * 10) / 10} ${units[unit] ?? "B"}`
}
