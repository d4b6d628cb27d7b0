import type { ZodType } from "zod"
import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import {
  BoxSettings,
  PersonalSettings,
  type SettingsPatch,
  type NetworkState,
  type Settings,
  type WebSearchSettings,
  type WebSearchChoice,
} from "../../../shared/contract/settings.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { ownTables, type DbOf } from "../../core/database/database.ts"
import { readStored } from "../../core/database/sql-helpers.ts"
import type { Logger } from "../../core/logging/logger.ts"
import type { LocalOnly } from "../../core/outbound/outbound.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import { requireOwner } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"

const namespace = "webSearch"
type Provider = WebSearchSettings["provider"]

/**
 * Keys of search engines in the secret store, each under its engine's name. The choice of an engine is stored elsewhere; even if a change
 * is interrupted or refused, no engine gets another one's key.
 */
interface SearchKeys {
  of(provider: Provider): Promise<string | null>
  set(provider: Provider, key: string): Promise<void>
  /** Deletes all keys except that of the stored choice. */
  removeOtherKeys(choice: WebSearchSettings): Promise<void>
}

function createSearchKeys(secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">): SearchKeys {
  const getName = (provider: Provider) => `${namespace}/${provider}`

  return {
    /** An earlier version stored a single key without a name. */
    of: async (provider) => (await secrets.get(getName(provider))) ?? secrets.get(namespace),
    set: (provider, key) => secrets.set(getName(provider), key),
    async removeOtherKeys({ provider, hasApiKey }) {
      const names = await secrets.names()
      const own = names.includes(getName(provider)) ? getName(provider) : namespace
      for (const name of names)
        if (name.split("/")[0] === namespace && !(hasApiKey && name === own)) await secrets.delete(name)
    },
  }
}

interface SettingsStoreDeps {
  db: DbOf<"settings">
  /** These values include the server's settings. */
  values: Pick<BoxValues, "all" | "write">
  logger: Logger
}

/** A patch as it is stored, without the key of a search engine. */
type StoredPatch = Omit<SettingsPatch, "webSearch"> & Partial<Pick<BoxSettings, "webSearch">>

export const defaultSettings: BoxSettings = {
  textEvent: "text-delta",
  allowedHosts: [],
  allowedOrigins: [],
  allowedPrivateHosts: [],
  modelMirror: "https://huggingface.co",
  webSearch: { provider: "duckduckgo", url: null, hasApiKey: false },
  localOnly: false,
  wholeLimit: { characters: 2_000_000, minutes: 30 },
  localOnlyPrograms: false,
  networkAccess: false,
}
/** The key of the value that determines whether other computers can reach the server. */
export const networkAccessKey: keyof BoxSettings = "networkAccess"

const personalDefaults: PersonalSettings = { mutedCategories: [], pins: [] }

/** Stores settings, each in a row: those of the server, and those of each user. Missing ones have their defaults. */
function createSettingsStore({ db, values, logger }: SettingsStoreDeps) {
  /** Unreadable values, as from an altered backup, are treated as missing, because the server must start safely. */
  function fromRows(rows: { key: string; value: string }[], shape: Record<string, ZodType>): object {
    const read = rows.flatMap(({ key, value }): [string, unknown][] => {
      const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
      if (!schema) return []
      const stored = readStored(schema, value)
      if (stored === undefined) logger.warn({ key }, "A stored setting is invalid and ignored")
      return stored === undefined ? [] : [[key, stored]]
    })
    return Object.fromEntries(read)
  }

  return {
    async readBoxSettings(): Promise<BoxSettings> {
      const rows = await values.all()
      // A damaged safety setting is treated as on.
      const localOnly = rows.some(({ key, value }) => key === "localOnly" && value !== "false")
      return BoxSettings.parse({ ...defaultSettings, ...fromRows(rows, BoxSettings.shape), localOnly })
    },

    async personalSettings(userId: string): Promise<PersonalSettings> {
      const rows = await db
        .selectFrom("userSettings")
        .select(["key", "value"])
        .where("userId", "=", userId)
        .execute()
      return PersonalSettings.parse({ ...personalDefaults, ...fromRows(rows, PersonalSettings.shape) })
    },

    /** Writes the named settings of the server and the user, all or none. */
    async write(userId: string, named: StoredPatch): Promise<void> {
      const personalSettings = toRows(named, PersonalSettings.shape).map((row) => ({ ...row, userId }))
      await values.write(toRows(named, BoxSettings.shape), async (transaction) => {
        if (personalSettings.length === 0) return
        await ownTables<"settings">(transaction)
          .insertInto("userSettings")
          .values(personalSettings)
          .onConflict((conflict) =>
            conflict.columns(["userId", "key"]).doUpdateSet((e) => ({ value: e.ref("excluded.value") })),
          )
          .execute()
      })
    },
  }
}

/** The values that `shape` contains, as rows. */
const toRows = (named: object, shape: Record<string, unknown>) =>
  Object.entries(named)
    .filter(([key, value]) => key in shape && value !== undefined)
    .map(([key, value]) => ({ key, value: JSON.stringify(value) }))

/** Settings of the server and its users. */
export interface SettingsService {
  /** The server's settings, kept in memory for checks on every request. */
  readonly current: BoxSettings
  /** The local-only state from the settings and the start options combined. */
  localOnly(this: void): LocalOnly
  personal(userId: string): Promise<PersonalSettings>
  /** The settings that the user sees: those of the server and their own. */
  of(userId: string): Promise<Settings>
  /**
   * Changes the settings that the patch names, and returns the same as `of`. If local-only is turned on, it returns after everything that
   * local-only forbids has ended. Throws `forbidden` for settings that the start options determine.
   */
  update(userId: string, patch: SettingsPatch): Promise<Settings>
  /** Reports who can reach the server. */
  network(): NetworkState
  /** The key of the search engine in use. */
  webSearchKey(): Promise<string | null>
}

export interface SettingsDeps extends SettingsStoreDeps {
  values: SettingsStoreDeps["values"] & Pick<BoxValues, "remove">
  secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">
  /** Whether keys other than that of the stored choice are deleted at once. */
  canForget: boolean
  /** Whether the server was started in local-only mode. */
  startedLocalOnly: boolean
  /** Ends everything that local-only forbids, or starts it again. */
  localOnlyChanged(): Promise<void>
  /** Opens the server to other computers, or closes it to them. */
  network: { set(on: boolean): Promise<void>; state(): NetworkState }
}

export async function openSettings(deps: SettingsDeps): Promise<SettingsService> {
  const { secrets, logger, startedLocalOnly } = deps
  const store = createSettingsStore(deps)
  const searchKeys = createSearchKeys(secrets)
  const lock = createKeyedLock()
  let current = await store.readBoxSettings()
  if (deps.canForget) await removeOtherSearchKeys()

  const localOnly = (): LocalOnly => ({
    on: startedLocalOnly || current.localOnly,
    decidedBy: startedLocalOnly ? "start" : "settings",
    programs: !startedLocalOnly && current.localOnlyPrograms,
  })

  /** Settings determined at the start aren't stored, so that they don't outlive this run. */
  function omitDecided({
    localOnly: on,
    localOnlyPrograms: programs,
    ...others
  }: SettingsPatch): SettingsPatch {
    if (on === false || programs === true)
      throw new AppError("forbidden", sentence("settings.local_only_at_start"))
    return others
  }

  async function of(userId: string): Promise<Settings> {
    const { on, decidedBy, programs } = localOnly()
    return {
      ...current,
      ...(await store.personalSettings(userId)),
      localOnly: on,
      localOnlyPrograms: programs,
      localOnlyDecidedBy: decidedBy,
    }
  }

  /** Keys that can't be deleted now, as on a full disk, are deleted at the next start. */
  async function removeOtherSearchKeys(): Promise<void> {
    await searchKeys.removeOtherKeys(current.webSearch).catch((error: unknown) => {
      logger.warn({ err: error }, "A search engine's unused key couldn't be removed yet")
    })
  }

  /** Stores the key separately from the settings that can be read back. */
  async function chooseSearch({ provider, url, apiKey }: WebSearchChoice): Promise<WebSearchSettings> {
    const before = current.webSearch
    const kept = apiKey === undefined && provider === before.provider && before.hasApiKey
    if (apiKey) await searchKeys.set(provider, apiKey)
    return { provider, url: url ?? null, hasApiKey: Boolean(apiKey) || kept }
  }

  async function change(userId: string, { webSearch, ...others }: SettingsPatch): Promise<void> {
    const chosen = webSearch && { webSearch: await chooseSearch(webSearch) }
    // Works even if nothing can be stored.
    if (others.networkAccess === false) await deps.network.set(false)
    await store.write(userId, { ...others, ...chosen })
    current = await store.readBoxSettings()
    if (webSearch) await removeOtherSearchKeys()
  }

  async function update(userId: string, wanted: SettingsPatch): Promise<Settings> {
    const patch = startedLocalOnly ? omitDecided(wanted) : wanted
    const before = JSON.stringify(localOnly())
    await lock.run("settings", () => change(userId, patch))
    if (patch.networkAccess !== undefined) await deps.network.set(current.networkAccess)
    if (JSON.stringify(localOnly()) !== before) await deps.localOnlyChanged()
    return of(userId)
  }

  return {
    get current() {
      return current
    },
    localOnly,
    network: () => deps.network.state(),
    personal: store.personalSettings,
    of,

    async webSearchKey() {
      const { provider, hasApiKey } = current.webSearch
      return hasApiKey ? searchKeys.of(provider) : null
    },

    update,
  }
}

/** Only owners can change the server's settings; everyone can change their own. */
export function settingsHandlers(settings: SettingsService): Handlers<typeof api.settings> {
  return {
    read: async ({ caller }) => ({ settings: await settings.of(caller.userId) }),
    network: () => ({ network: settings.network() }),
    async update({ caller, body }) {
      if (toRows(body, BoxSettings.shape).length > 0) requireOwner(caller)
      return { settings: await settings.update(caller.userId, body) }
    },
  }
}
