import type { api } from "../../../shared/contract/api.ts"
import { AppError } from "../../../shared/contract/errors.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import {
  BoxSettings,
  type NetworkState,
  type PersonalSettings,
  type Settings,
  type SettingsPatch,
} from "../../../shared/contract/settings.ts"
import type { WebSearchChoice, WebSearchSettings } from "../../../shared/contract/web-search.ts"
import type { BoxValues } from "../../core/database/box-values.ts"
import { createKeyedLock } from "../../core/waiting/locks.ts"
import type { LocalOnly } from "../../core/outbound/outbound.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { requireOwner } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { createSearchKeys } from "./search-key.ts"
import { createSettingsStore, toRows, type SettingsStoreDeps } from "./settings-store.ts"

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
