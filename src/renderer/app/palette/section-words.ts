import { t } from "i18next"
import { routes } from "../../lib/navigation/routes.ts"

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
