import type { ZodType } from "zod"
import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  BoxSettings,
  PersonalSettings,
  type Settings,
  type SettingsPatch,
} from "../../../shared/contract/settings.ts"
import type { WebSearchChoice, WebSearchSettings } from "../../../shared/contract/web-search.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { ownTables, type DbOf } from "../../core/database/database.ts"
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { LocalOnly } from "../../core/outbound/local-only.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { readStored } from "../../core/database/stored-json.ts"
import { requireOwner } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { createSearchKeys } from "./search-key.ts"

/** Settings of the box and of its users. */
export interface SettingsService {
  /** The box's, kept in memory for checks on every request. */
  readonly current: BoxSettings
  /** What the settings and the start of the box say together. */
  localOnly(this: void): LocalOnly
  personal(userId: string): Promise<PersonalSettings>
  /** What the user sees: the box's settings and their own. */
  of(userId: string): Promise<Settings>
  /**
   * Changes what the patch names, and answers like `of`; with local-only, once nothing that it forbids goes on.
   * Throws `forbidden` for what the start of the box has decided.
   */
  update(userId: string, patch: SettingsPatch): Promise<Settings>
  /** The key of the search engine in use. */
  webSearchKey(): Promise<string | null>
}

export interface SettingsDeps {
  db: DbOf<"settings">
  /** The box's settings are among them. */
  values: Pick<BoxValues, "all" | "write">
  secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">
  logger: Logger
  /** Whether the key of another choice than the stored one goes at once. */
  mayForget: boolean
  /** The box was started local-only. */
  startedLocalOnly: boolean
  /** Ends what local-only forbids, or begins again what it did. */
  localOnlyChanged(): Promise<void>
}

const defaults: BoxSettings = {
  textEvent: "text-delta",
  allowedHosts: [],
  allowedOrigins: [],
  modelMirror: "https://huggingface.co",
  webSearch: { provider: "duckduckgo", url: null, hasApiKey: false },
  localOnly: false,
  localOnlyPrograms: false,
}
const personalDefaults: PersonalSettings = { mutedCategories: [] }

export async function openSettings(deps: SettingsDeps): Promise<SettingsService> {
  const { db, values, secrets, logger, startedLocalOnly } = deps
  const searchKeys = createSearchKeys(secrets)
  const lock = createKeyedLock()
  let current = await readBox()
  if (deps.mayForget) await keepSearchKey()

  /** What can't be read, as from an altered backup, is as if it weren't there: the box must start, and safely. */
  function fromRows(rows: { key: string; value: string }[], shape: Record<string, ZodType>): object {
    const read = rows.flatMap(({ key, value }): [string, unknown][] => {
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
      if (!schema) return []
      const stored = readStored(schema, value)
      if (stored === undefined) logger.warn({ key }, "A stored setting isn't valid and doesn't count")
      return stored === undefined ? [] : [[key, stored]]
    })
    return Object.fromEntries(read)
  }

  async function readBox(): Promise<BoxSettings> {
    const rows = await values.all()
    // A damaged switch for safety is taken to be on.
    const localOnly = rows.some(({ key, value }) => key === "localOnly" && value !== "false")
    return BoxSettings.parse({ ...defaults, ...fromRows(rows, BoxSettings.shape), localOnly })
  }

  const localOnly = (): LocalOnly => ({
    on: startedLocalOnly || current.localOnly,
    decidedBy: startedLocalOnly ? "start" : "settings",
    programs: !startedLocalOnly && current.localOnlyPrograms,
  })

  /** What was decided at the start isn't stored, so that it doesn't outlive this run. */
  function withoutDecided({
    localOnly: on,
    localOnlyPrograms: programs,
    ...others
  }: SettingsPatch): SettingsPatch {
    if (on === false || programs === true)
      throw new AppError("forbidden", sentence("settings.local_only_at_start"))
    return others
  }

  async function personal(userId: string): Promise<PersonalSettings> {
    const rows = await db
      .selectFrom("userSettings")
      .select(["key", "value"])
      .where("userId", "=", userId)
      .execute()
    return PersonalSettings.parse({ ...personalDefaults, ...fromRows(rows, PersonalSettings.shape) })
  }

  async function of(userId: string): Promise<Settings> {
    const { on, decidedBy, programs } = localOnly()
    return {
      ...current,
      ...(await personal(userId)),
      localOnly: on,
      localOnlyPrograms: programs,
      localOnlyDecidedBy: decidedBy,
    }
  }

  /** What stays for now, such as on a full disk, goes with the next start. */
  async function keepSearchKey(): Promise<void> {
    await searchKeys.keepOnly(current.webSearch).catch((error: unknown) => {
      logger.warn({ err: error }, "A search engine's key that isn't needed any more stays for now")
    })
  }

  /** Keeps the key apart from what can be read again. */
  async function chooseSearch({ provider, url, apiKey }: WebSearchChoice): Promise<WebSearchSettings> {
    const before = current.webSearch
    const kept = apiKey === undefined && provider === before.provider && before.hasApiKey
    if (apiKey) await searchKeys.set(provider, apiKey)
    return { provider, url: url ?? null, hasApiKey: Boolean(apiKey) || kept }
  }

  async function change(userId: string, { webSearch, ...others }: SettingsPatch): Promise<void> {
    const patch = { ...others, ...(webSearch && { webSearch: await chooseSearch(webSearch) }) }
    const ofBox = toRows(patch, BoxSettings.shape)
    const ofUser = toRows(patch, PersonalSettings.shape).map((row) => ({ ...row, userId }))
    await values.write(ofBox, async (transaction) => {
      if (ofUser.length === 0) return
      await ownTables<"settings">(transaction)
        .insertInto("userSettings")
        .values(ofUser)
        .onConflict((conflict) =>
          conflict.columns(["userId", "key"]).doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
        )
        .execute()
    })
    current = await readBox()
    if (webSearch) await keepSearchKey()
  }

  return {
    get current() {
      return current
    },
    localOnly,
    personal,
    of,

    async webSearchKey() {
      const { provider, hasApiKey } = current.webSearch
      return hasApiKey ? searchKeys.of(provider) : null
    },

    async update(userId, wanted) {
      const patch = startedLocalOnly ? withoutDecided(wanted) : wanted
      const before = JSON.stringify(localOnly())
      await lock.run("settings", () => change(userId, patch))
      if (JSON.stringify(localOnly()) !== before) await deps.localOnlyChanged()
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
export function settingsHandlers(settings: SettingsService): Handlers<typeof api.settings> {
  return {
    read: async ({ caller }) => ({ settings: await settings.of(caller.userId) }),
    async update({ caller, body }) {
      if (toRows(body, BoxSettings.shape).length > 0) requireOwner(caller)
      return { settings: await settings.update(caller.userId, body) }
    },
  }
}
