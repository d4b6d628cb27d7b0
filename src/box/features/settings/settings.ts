import type { ZodType } from "zod"
import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import {
  BoxSettings,
  PersonalSettings,
  type Settings,
  type SettingsPatch,
} from "../../../shared/contract/settings.ts"
import type { WebSearchChoice, WebSearchSettings } from "../../../shared/contract/web-search.ts"
import type { Database } from "../../core/database.ts"
import type { Logger } from "../../core/logger.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { readStored } from "../../core/stored-json.ts"
import type { Handlers } from "../../http/serve.ts"

/** Settings of the box and of its users. */
export interface SettingsService {
  /** The box's, kept in memory for checks on every request. */
  readonly current: BoxSettings
  personal(userId: string): Promise<PersonalSettings>
  /** What the user sees: the box's settings and their own. */
  of(userId: string): Promise<Settings>
  /** Changes what the patch names, and answers like `of`. */
  update(userId: string, patch: SettingsPatch): Promise<Settings>
  /** The key of the search engine in use. */
  webSearchKey(): Promise<string | null>
}

/** Name of the search engine's key among the secrets. */
const webSearchSecret = "webSearch"

const defaults: BoxSettings = {
  textEvent: "text-delta",
  allowedHosts: [],
  allowedOrigins: [],
  modelMirror: "https://huggingface.co",
  webSearch: { provider: "duckduckgo", url: null, hasApiKey: false },
}
const personalDefaults: PersonalSettings = { mutedCategories: [] }

export async function openSettings(
  db: Database,
  secrets: Pick<SecretStore, "get" | "set" | "delete">,
  logger: Logger,
): Promise<SettingsService> {
  let current = await readBox()

  /** What can't be read, as from an altered backup, is as if it weren't there: the box must start, and safely. */
  function fromRows(rows: { key: string; value: string }[], shape: Record<string, ZodType>): object {
    const values = rows.flatMap(({ key, value }): [string, unknown][] => {
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
      if (!schema) return []
      const stored = readStored(schema, value)
      if (stored === undefined) logger.warn({ key }, "A stored setting isn't valid and doesn't count")
      return stored === undefined ? [] : [[key, stored]]
    })
    return Object.fromEntries(values)
  }

  async function readBox(): Promise<BoxSettings> {
    const rows = await db.selectFrom("settings").selectAll().execute()
    return BoxSettings.parse({ ...defaults, ...fromRows(rows, BoxSettings.shape) })
  }

  async function personal(userId: string): Promise<PersonalSettings> {
    const rows = await db
      .selectFrom("userSettings")
      .select(["key", "value"])
      .where("userId", "=", userId)
      .execute()
    return PersonalSettings.parse({ ...personalDefaults, ...fromRows(rows, PersonalSettings.shape) })
  }

  const of = async (userId: string): Promise<Settings> => ({ ...current, ...(await personal(userId)) })

  /** Keeps the key apart from what can be read again. One engine's key is never sent to another. */
  async function chooseSearch({ provider, url, apiKey }: WebSearchChoice): Promise<WebSearchSettings> {
    const before = current.webSearch
    const kept = apiKey === undefined && provider === before.provider && before.hasApiKey
    if (apiKey) await secrets.set(webSearchSecret, apiKey)
    else if (!kept) await secrets.delete(webSearchSecret)
    return { provider, url: url ?? null, hasApiKey: Boolean(apiKey) || kept }
  }

  return {
    get current() {
      return current
    },
    personal,
    of,

    webSearchKey: () => secrets.get(webSearchSecret),

    async update(userId, { webSearch, ...others }) {
      const patch = { ...others, ...(webSearch && { webSearch: await chooseSearch(webSearch) }) }
      const ofBox = toRows(patch, BoxSettings.shape)
      const ofUser = toRows(patch, PersonalSettings.shape).map((row) => ({ ...row, userId }))
      await db.transaction().execute(async (trx) => {
        if (ofBox.length > 0) {
          await trx
            .insertInto("settings")
            .values(ofBox)
            .onConflict((conflict) =>
              conflict.column("key").doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
            )
            .execute()
        }
        if (ofUser.length > 0) {
          await trx
            .insertInto("userSettings")
            .values(ofUser)
            .onConflict((conflict) =>
              conflict.columns(["userId", "key"]).doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
            )
            .execute()
        }
      })
      current = await readBox()
      return of(userId)
    },
  }
}

/** Those values of a patch that `shape` knows, as rows. */
const toRows = (patch: object, shape: Record<string, unknown>) =>
  Object.entries(patch)
    .filter(([key, value]) => key in shape && value !== undefined)
    .map(([key, value]) => ({ key, value: JSON.stringify(value) }))

/** The box's settings are its owners' to change; everyone changes their own. */
export function settingsHandlers(
  settings: SettingsService,
  isOwner: (userId: string) => Promise<boolean>,
): Handlers<typeof api.settings> {
  return {
    read: async ({ caller }) => ({ settings: await settings.of(caller.userId) }),
    async update({ caller, body }) {
      const ofBox = toRows(body, BoxSettings.shape).map(({ key }) => key)
      if (ofBox.length > 0 && !(await isOwner(caller.userId))) {
        throw new AppError("forbidden", `Only an owner of the workspace may change: ${ofBox.join(", ")}.`)
      }
      return { settings: await settings.update(caller.userId, body) }
    },
  }
}
