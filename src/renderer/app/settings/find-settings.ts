import { t } from "i18next"
import { ModelRole } from "../../../shared/contract/models.ts"
import type { SettingsSection } from "../../features/settings/SettingsPage.tsx"
import { routes } from "../../lib/navigation/routes.ts"
import type search from "../../locales/en/search.json"
import { fit } from "../palette/command.ts"

/** A setting that the settings search can find. */
interface Findable {
  id: string
  /** Its section. */
  path: string
  /** Its label on screen, by which it is located in its section. */
  name: string
  /** Alternative names. */
  words: string
}

/** Every setting by section, with its label there. A setting with the same name as its section is found through the section. */
export const findableSettings = (): Findable[] => [
  findable(routes.settings, "you", t("settings:profile.you")),
  findable(routes.settings, "signOut", t("settings:profile.session")),
  findable(routes.appearance, "theme", t("settings:appearance.theme")),
  findable(routes.appearance, "language", t("settings:appearance.language")),
  findable(routes.notificationSettings, "quiet", t("notifications:doNotDisturb")),
  findable(routes.notificationSettings, "popups", t("notifications:popups.title")),
  findable(routes.notificationSettings, "categories", t("notifications:categoriesTitle")),
  findable(routes.memory, "facts", t("memory:facts")),
  ...ModelRole.options.map((role) => findable(routes.models, role, t(`models:role.${role}.title`))),
  findable(routes.models, "reading", t("models:reading.title")),
  findable(routes.installedModels, "installed", t("models:installed.title")),
  findable(routes.installedModels, "addModel", t("models:add.title")),
  findable(routes.moreModels, "catalogue", t("models:catalogue.title")),
  findable(routes.moreModels, "address", t("models:address.title")),
  findable(routes.moreModels, "mirror", t("models:mirror.title")),
  findable(routes.moreModels, "ownCatalogue", t("models:own.title")),
  findable(routes.webSearch, "webSearch", t("webSearch:provider")),
  findable(routes.network, "network", t("settings:network.switch")),
  findable(routes.storage, "usage", t("settings:storage.usage")),
  findable(routes.storage, "place", t("settings:storage.place")),
  findable(routes.trash, "trash", t("settings:storage.trash.title")),
  findable(routes.backup, "plan", t("settings:storage.plan.title")),
  findable(routes.backup, "restore", t("settings:storage.restore.title")),
  findable(routes.privacy, "localOnly", t("privacy:localOnly.switch")),
  findable(routes.privacy, "whatLeft", t("privacy:list.title")),
  findable(routes.privacy, "walls", t("privacy:walls.title")),
  findable(routes.support, "reports", t("support:reports.title")),
  findable(routes.about, "program", t("settings:about.program")),
  findable(routes.about, "licences", t("settings:about.licences")),
]

type FindableId = keyof typeof search.settings

const findable = (path: string, id: FindableId, name: string): Findable => ({
  id,
  path,
  name,
  words: t(`search:settings.${id}`),
})

/** Returns a setting's address: its section, with the setting marked. */
export const getAddress = ({ id, path }: Pick<Findable, "id" | "path">): string => `${path}?at=${id}`

/** Returns alternative names of a settings section. */
export function getSectionWords(path: string): { words?: string } {
  const names: Partial<Record<string, string>> = {
    [routes.settings]: t("search:words.profile"),
    [routes.keys]: t("search:words.keys"),
    [routes.notificationSettings]: t("search:words.notifications"),
    [routes.memory]: t("search:words.memory"),
    [routes.toolServers]: t("search:words.toolServers"),
    [routes.accounts]: t("search:words.accounts"),
    [routes.people]: t("search:words.people"),
    [routes.network]: t("search:words.network"),
    [routes.models]: t("search:words.models"),
    [routes.installedModels]: t("search:words.installedModels"),
    [routes.moreModels]: t("search:words.moreModels"),
    [routes.modelServers]: t("search:words.modelServers"),
    [routes.webSearch]: t("search:words.webSearch"),
    [routes.privacy]: t("search:words.privacy"),
    [routes.importChats]: t("search:words.importChats"),
    [routes.storage]: t("search:words.storage"),
    [routes.trash]: t("search:words.trash"),
    [routes.backup]: t("search:words.backup"),
    [routes.audit]: t("search:words.audit"),
    [routes.logs]: t("search:words.logs"),
    [routes.appearance]: t("search:words.appearance"),
    [routes.support]: t("search:words.support"),
    [routes.about]: t("search:words.about"),
    [routes.desktop]: t("search:words.desktop"),
  }
  const words = names[path]
  return words === undefined ? {} : { words }
}

export interface FoundSetting {
  address: string
  name: string
  /** The section that contains it; undefined for a section itself. */
  within?: string
}

/** Returns the sections and settings that match a search, best first: by name, or by the start of an alternative name. */
export function findSettings(
  sections: readonly SettingsSection[],
  findable: readonly Findable[],
  search: string,
): FoundSetting[] {
  const byPath = new Map(sections.map((section) => [section.path, section.name()]))
  const all = [
    ...sections.map(({ path, name }) => ({
      found: { address: path, name: name() },
      words: getSectionWords(path).words ?? "",
    })),
    ...findable.flatMap((setting) => {
      const within = byPath.get(setting.path)
      if (within === undefined) return []
      return { found: { address: getAddress(setting), name: setting.name, within }, words: setting.words }
    }),
  ]
  return all
    .map(({ found, words }) => ({ found, rank: getRank(found, words, search) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ found }) => found)
}

/** A setting's own words rank above those of its section. */
function getRank({ name, within }: FoundSetting, words: string, search: string): number {
  const byWords = fit(words, search) >= 2 ? (within === undefined ? 1.25 : 1.5) : 0
  return Math.max(fit(name, search), byWords)
}
