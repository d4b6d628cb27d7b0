import type { Selectable } from "kysely"
import { z } from "zod"
import { Suggestion, type AssistantPatch } from "../../../shared/contract/assistants.ts"
import type { Page } from "../../../shared/contract/primitives.ts"
import type { DbOf, TransactionOf } from "../../core/database/database.ts"
import { containsFolded, foldCase, readStored, readStoredIds } from "../../core/database/sql-helpers.ts"
import type { TablesOf } from "../../core/database/table-owners.ts"
import { timestamp } from "../../core/ids.ts"

const maxHandleLength = 120
/** Maximum number of characters that a number may replace at the end of a long name. */
const digitsAdded = 10

/** Derives the @mention name from a display name. */
export function deriveHandle(name: string): string {
  const folded = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
  return folded === "" ? "assistant" : folded.slice(0, maxHandleLength)
}

/** Returns the first of `base`, `base2`, `base3` … that isn't taken. */
export function freeHandle(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base
  const numbered = (number: number) => `${base.slice(0, maxHandleLength - String(number).length)}${number}`
  let number = 2
  while (taken.has(numbered(number))) number++
  return numbered(number)
}

export type AssistantRow = Selectable<TablesOf<"assistants">["assistants"]>

/** Default values of an assistant's fields. */
const defaults = {
  description: "",
  instructions: "",
  visibility: "PRIVATE",
  vectorIds: "[]",
  builtInTools: "{}",
  permissionMode: "auto",
  icon: null,
  color: null,
  customImage: null,
  suggestions: "[]",
  modelId: null,
  enabled: 1,
  removed: 0,
  writtenByScopedKey: 0,
} as const satisfies Partial<AssistantRow>

/** Returns the columns that a draft or patch sets. `null` restores the default; omitted fields aren't included. */
export function toColumns(patch: AssistantPatch): Partial<AssistantRow> {
  const { vectorIds, builtInTools, suggestions, enabled, name, handle: _, ...plain } = patch
  const given = Object.entries(plain).filter(([, value]) => value !== undefined)
  const columns = given.map(([key, value]) => [key, value ?? defaults[key as keyof typeof plain]])
  const toJson = (value: unknown, fallback: string) => (value === null ? fallback : JSON.stringify(value))
  return {
    ...(Object.fromEntries(columns) as Partial<AssistantRow>),
    ...(name === undefined ? {} : { name, foldedName: foldCase(name) }),
    ...(vectorIds === undefined ? {} : { vectorIds: toJson(vectorIds && [...new Set(vectorIds)], "[]") }),
    ...(builtInTools === undefined ? {} : { builtInTools: toJson(builtInTools, "{}") }),
    ...(suggestions === undefined
      ? {}
      : { suggestions: toJson(suggestions satisfies Suggestion[] | null, "[]") }),
    ...(enabled === undefined ? {} : { enabled: enabled === false ? 0 : 1 }),
  }
}

export function newRow(
  id: string,
  ownerId: string,
  name: string,
  patch: AssistantPatch,
  handle: string,
): AssistantRow {
  const now = timestamp()
  return {
    ...defaults,
    ...toColumns(patch),
    id,
    ownerId,
    name,
    foldedName: foldCase(name),
    handle,
    createdAt: now,
    updatedAt: now,
  }
}

const Flags = z.record(z.string(), z.boolean())
const Suggestions = z.array(Suggestion)

export const storedIds = ({ vectorIds }: AssistantRow) => readStoredIds(vectorIds)
export const storedFlags = ({ builtInTools }: AssistantRow) => readStored(Flags, builtInTools) ?? {}
export const storedSuggestions = ({ suggestions }: AssistantRow) => readStored(Suggestions, suggestions) ?? []

/** Selects the user's own assistants, `TEAM` ones of colleagues, and `PUBLIC` ones of the box. */
const usableBy = (db: DbOf<"assistants">, userId: string, colleagues: readonly string[]) =>
  db
    .selectFrom("assistants")
    .where("removed", "=", 0)
    .where((e) =>
      e.or([
        e("ownerId", "=", userId),
        e("visibility", "=", "PUBLIC"),
        e.and([e("visibility", "=", "TEAM"), e("ownerId", "in", colleagues)]),
      ]),
    )

/** Returns the name and visibility of an assistant; null if it doesn't exist. */
export const assistantAccess = async (db: DbOf<"assistants">, id: string) =>
  (await db
    .selectFrom("assistants")
    .select(["name", "visibility"])
    .where("id", "=", id)
    .where("removed", "=", 0)
    .executeTakeFirst()) ?? null

export type AssistantStore = ReturnType<typeof createAssistantStore>

export function createAssistantStore(db: DbOf<"assistants">) {
  const usable = (userId: string, colleagues: readonly string[]) => usableBy(db, userId, colleagues)

  return {
    async list(userId: string, colleagues: readonly string[], page: Page, search: string | undefined) {
      const matching = usable(userId, colleagues).where(containsFolded("foldedName", search ?? ""))
      const { total } = await matching
        .select((e) => e.fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await matching
        .selectAll()
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .limit(page.limit)
        .offset(page.offset)
        .execute()
      return { total, rows }
    },

    find: (userId: string, colleagues: readonly string[], id: string): Promise<AssistantRow | undefined> =>
      usable(userId, colleagues).selectAll().where("id", "=", id).executeTakeFirst(),

    enabled: (userId: string, colleagues: readonly string[], max: number): Promise<AssistantRow[]> =>
      usable(userId, colleagues)
        .selectAll()
        .where("enabled", "=", 1)
        .orderBy("createdAt")
        .orderBy("id")
        .limit(max)
        .execute(),

    async names(ids: readonly string[]): Promise<Map<string, string>> {
      const rows = await db
        .selectFrom("assistants")
        .select(["id", "name"])
        .where("id", "in", ids)
        .where("removed", "=", 0)
        .execute()
      return new Map(rows.map(({ id, name }) => [id, name]))
    },

    owned: (userId: string, id: string): Promise<AssistantRow | undefined> =>
      db
        .selectFrom("assistants")
        .selectAll()
        .where("id", "=", id)
        .where("ownerId", "=", userId)
        .where("removed", "=", 0)
        .executeTakeFirst(),

    async countOwned(trx: TransactionOf<"assistants">, ownerId: string): Promise<number> {
      const { owned } = await trx
        .selectFrom("assistants")
        .select((e) => e.fn.countAll<number>().as("owned"))
        .where("ownerId", "=", ownerId)
        .where("removed", "=", 0)
        .executeTakeFirstOrThrow()
      return owned
    },

    /** Returns the handles that start with the requested one. */
    async handlesLike(trx: DbOf<"assistants">, base: string): Promise<Set<string>> {
      const rows = await trx
        .selectFrom("assistants")
        .select("handle")
        .where("handle", "like", `${base.slice(0, maxHandleLength - digitsAdded)}%`)
        .execute()
      return new Set(rows.map((row) => row.handle))
    },

    transaction: <T>(work: (trx: TransactionOf<"assistants">) => Promise<T>): Promise<T> =>
      db.transaction().execute(work),

    /** Hides the assistant from everyone and frees its handle. Returns whether it existed. */
    async hide(trx: DbOf<"assistants">, id: string): Promise<boolean> {
      const hiding = trx.updateTable("assistants").set({ removed: 1, handle: id })
      const { numUpdatedRows } = await hiding.where("id", "=", id).where("removed", "=", 0).executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async show(trx: DbOf<"assistants">, id: string, handle: string): Promise<void> {
      await trx.updateTable("assistants").set({ removed: 0, handle }).where("id", "=", id).execute()
    },

    /** Deletes a hidden assistant permanently. Returns its image. */
    async remove(id: string): Promise<string | null> {
      const removal = db.deleteFrom("assistants").where("id", "=", id).where("removed", "=", 1)
      return (await removal.returning("customImage").executeTakeFirst())?.customImage ?? null
    },
  }
}
