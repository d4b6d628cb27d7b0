import { AppError } from "../../../shared/contract/errors.ts"
import type { Limits, OwnLimits, OwnQuota, Quotas, Use } from "../../../shared/contract/quotas.ts"
import type { Sentence } from "../../../shared/sentences/sentence.ts"
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

export const createQuotas = (deps: QuotaDeps): QuotaService => new StoredQuotas(deps)

class StoredQuotas implements QuotaService {
  readonly #deps: QuotaDeps
  readonly #store: ReturnType<typeof createQuotaStore>
  readonly #lock = createKeyedLock()
  readonly #now: () => number
  #limits: Promise<AllLimits> | null = null

  constructor(deps: QuotaDeps) {
    this.#deps = deps
    this.#store = createQuotaStore(deps.db)
    this.#now = deps.now ?? Date.now
  }

  async requireRoom(userId: string, wanted: Wanted): Promise<void> {
    if (await this.#isLimited()) await this.#require(userId, wanted)
  }

  async withRoom<T>(userId: string, wanted: Wanted, work: () => Promise<T>): Promise<T> {
    if (!(await this.#isLimited())) return work()
    return this.#lock.run("files", async () => {
      await this.#require(userId, wanted)
      return work()
    })
  }

  async countAnswer(userId: string): Promise<void> {
    if (!(await this.#isLimited())) return
    await this.#lock.run("answers", async () => {
      await this.#require(userId, { answers: 1, tokens: 1 })
      await this.#store.add(userId, this.#today(), { answers: 1 })
    })
  }

  async recordTokens(userId: string, tokens: number): Promise<void> {
    if (tokens > 0 && (await this.#isLimited())) await this.#store.add(userId, this.#today(), { tokens })
  }

  async list(): Promise<Quotas> {
    const all = await this.#readLimits()
    const [people, workspaces] = [await this.#deps.people(), await this.#deps.workspaces()]
    const use = await this.#getUsage(people.map(({ id }) => id))
    const workspaceQuotas: Quotas["workspaces"] = []
    for (const { id, name } of workspaces) {
      const members = (await this.#deps.members(id)).flatMap((member) => use.get(member) ?? [])
      const limits = all.workspaces.get(id) ?? unlimited
      workspaceQuotas.push({ id, name, limits, use: getSum(members) })
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
      resetsAt: this.#resetsAt(),
    }
  }

  async own(userId: string): Promise<OwnQuota> {
    const { everybody, people } = await this.#readLimits()
    const use = getSum(await this.#getUsage([userId]))
    return { limits: getEffectiveLimits(everybody, people.get(userId)), use, resetsAt: this.#resetsAt() }
  }

  async set<L extends Limits | OwnLimits>(
    kind: "everybody" | "person" | "workspace",
    id: string,
    wanted: L,
  ): Promise<L> {
    if (kind === "person" && !(await this.#deps.people()).some((person) => person.id === id))
      throw new AppError("not_found", sentence("quotas.no_person"))
    if (kind === "workspace" && !(await this.#deps.workspaces()).some((workspace) => workspace.id === id))
      throw new AppError("not_found", sentence("quotas.no_workspace"))
    await this.#store.set(kind, id, wanted).finally(() => (this.#limits = null))
    return wanted
  }

  #readLimits(): Promise<AllLimits> {
    this.#limits ??= this.#store.limits().catch((error: unknown) => {
      this.#limits = null
      throw error
    })
    return this.#limits
  }

  async #isLimited(): Promise<boolean> {
    const { everybody, people, workspaces } = await this.#readLimits()
    return people.size > 0 || workspaces.size > 0 || kinds.some((kind) => everybody[kind] !== null)
  }

  async #require(userId: string, wanted: Wanted): Promise<void> {
    const { everybody, people, workspaces } = await this.#readLimits()
    const own = getEffectiveLimits(everybody, people.get(userId))
    const concerns = (limits: Limits) =>
      kinds.some((kind) => limits[kind] !== null && (wanted[kind] ?? 0) > 0)
    if (concerns(own)) this.#requireWithin(own, await this.#getUsage([userId]), wanted, "")
    if (workspaces.size === 0) return
    for (const id of await this.#deps.getWorkspaces(userId)) {
      const limits = workspaces.get(id)
      if (!limits || !concerns(limits)) continue
      this.#requireWithin(limits, await this.#getUsage(await this.#deps.members(id)), wanted, "workspace_")
    }
  }

  /** Throws if the requested amounts would exceed the limits. */
  #requireWithin(limits: Limits, usage: Map<string, Use>, wanted: Wanted, of: "" | "workspace_"): void {
    const use = getSum(usage)
    for (const kind of kinds) {
      const limit = limits[kind]
      const more = wanted[kind]
      // Replacing a file with a smaller one is allowed, even beyond the limit.
      if (limit === null || more === undefined || more <= 0 || use[kind] + more <= limit) continue
      throw refusal(kind, { most: limit, used: use[kind], wanted: more }, { of, resetsAt: this.#resetsAt() })
    }
  }

  async #getUsage(userIds: readonly string[]): Promise<Map<string, Use>> {
    const [stored, used] = [await this.#deps.stored(userIds), await this.#store.used(userIds, this.#today())]
    const use = (id: string): Use => ({
      ...(stored.get(id) ?? { files: 0, bytes: 0 }),
      ...(used.get(id) ?? { answers: 0, tokens: 0 }),
    })
    return new Map(userIds.map((id) => [id, use(id)]))
  }

  #today(): string {
    return new Date(this.#now()).toISOString().slice(0, 10)
  }

  #resetsAt(): string {
    return new Date((Math.floor(this.#now() / dayMs) + 1) * dayMs).toISOString()
  }
}

function refusal(
  kind: Kind,
  { most, used, wanted }: { most: number; used: number; wanted: number },
  { of, resetsAt }: { of: "" | "workspace_"; resetsAt: string },
): AppError {
  const details = { limit: kind, most, used, of: of === "" ? "person" : "workspace" }
  if (kind === "bytes") {
    const values = { most: describeSize(most), used: describeSize(used), wanted: describeSize(wanted) }
    return new AppError("quota_full", sentence(`quotas.${of}bytes`, values), { details })
  }
  const said = sentence(`quotas.${of}${kind}`, { most, used })
  if (kind === "files") return new AppError("quota_full", said, { details })
  return new AppError("quota_exceeded", said, { details: { ...details, resetsAt } })
}

const unlimited = { files: null, bytes: null, answers: null, tokens: null }
const zeroUse: Use = { files: 0, bytes: 0, answers: 0, tokens: 0 }

function getEffectiveLimits(everybody: Limits, own: OwnLimits = unlimited): Limits {
  const limit = (kind: Kind) => (own[kind] === "unlimited" ? null : (own[kind] ?? everybody[kind]))
  return { files: limit("files"), bytes: limit("bytes"), answers: limit("answers"), tokens: limit("tokens") }
}

function getSum(uses: Iterable<Use> | Map<string, Use>): Use {
  const sum = { ...zeroUse }
  for (const use of uses instanceof Map ? uses.values() : uses)
    for (const kind of kinds) sum[kind] += use[kind]
  return sum
}

const units = ["B", "kB", "MB", "GB", "TB", "PB"]

/** In the largest unit of which there is at least one, with one decimal. */
function describeSize(bytes: number): Sentence {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const size = Math.floor((bytes / 1000 ** power) * 10) / 10
  return sentence("quotas.size", { size, symbol: units[power] ?? "" })
}
