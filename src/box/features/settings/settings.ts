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
import { createKeyedLock } from "../../core/waiting/keyed-lock.ts"
import type { LocalOnly } from "../../core/outbound/local-only.ts"
import type { SecretStore } from "../../core/secret-store.ts"
import { requireOwner } from "../../http/caller.ts"
import type { Handlers } from "../../http/serve.ts"
import { createSearchKeys } from "./search-key.ts"
import { createSettingsStore, toRows, type SettingsStoreDeps } from "./settings-store.ts"

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
  /** Who can reach the box. */
  network(): NetworkState
  /** The key of the search engine in use. */
  webSearchKey(): Promise<string | null>
}

export interface SettingsDeps extends SettingsStoreDeps {
  values: SettingsStoreDeps["values"] & Pick<BoxValues, "remove">
  secrets: Pick<SecretStore, "get" | "set" | "delete" | "names">
  /** Whether the key of another choice than the stored one goes at once. */
  mayForget: boolean
  /** The box was started local-only. */
  startedLocalOnly: boolean
  /** Ends what local-only forbids, or begins again what it did. */
  localOnlyChanged(): Promise<void>
  /** Lets other computers in, or shuts them out. */
  network: { set(on: boolean): Promise<void>; state(): NetworkState }
}

export async function openSettings(deps: SettingsDeps): Promise<SettingsService> {
  const { secrets, logger, startedLocalOnly } = deps
  const store = createSettingsStore(deps)
  const searchKeys = createSearchKeys(secrets)
  const lock = createKeyedLock()
  let current = await store.ofBox()
  if (deps.mayForget) await keepSearchKey()

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

  async function of(userId: string): Promise<Settings> {
    const { on, decidedBy, programs } = localOnly()
    return {
      ...current,
      ...(await store.ofUser(userId)),
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
    const chosen = webSearch && { webSearch: await chooseSearch(webSearch) }
    // Also where nothing can be stored.
    if (others.networkAccess === false) await deps.network.set(false)
    await store.write(userId, { ...others, ...chosen })
    current = await store.ofBox()
    if (webSearch) await keepSearchKey()
  }

  async function update(userId: string, wanted: SettingsPatch): Promise<Settings> {
    const patch = startedLocalOnly ? withoutDecided(wanted) : wanted
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
    personal: store.ofUser,
    of,

    async webSearchKey() {
      const { provider, hasApiKey } = current.webSearch
      return hasApiKey ? searchKeys.of(provider) : null
    },

    update,
  }
}

/** The box's settings are its owners' to change; everyone changes their own. */
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
