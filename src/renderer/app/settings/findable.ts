import { t } from "i18next"
import type search from "../../locales/en/search.json"
import { ModelRole } from "../../../shared/contract/models.ts"
import { routes } from "../../lib/navigation/routes.ts"

/** A setting that the settings search can find. */
export interface Findable {
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
