import { t } from "i18next"
import {
  AppWindow,
  Archive,
  Bell,
  Brain,
  ClipboardList,
  Cpu,
  Download,
  FileInput,
  Globe,
  HardDrive,
  HardDriveDownload,
  Info,
  KeyRound,
  LifeBuoy,
  Link2,
  Network,
  Palette,
  Plug,
  ScrollText,
  Server,
  ShieldCheck,
  Trash2,
  UserRound,
  Users,
} from "lucide-react"
import { ModelRole } from "../../../shared/contract/models.ts"
import { type SettingsSection, SettingsPage } from "../../features/settings/SettingsPage.tsx"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { later } from "../../lib/later.ts"
import { routes } from "../../lib/navigation/routes.ts"
import type search from "../../locales/en/search.json"
import { NotFound } from "../../ui/PageParts.tsx"
import { fit } from "../palette/command.ts"
import { getRouteBeforeSettings } from "./leave-settings.ts"

const desktopSection: SettingsSection = {
  path: routes.desktop,
  name: () => t("desktop:section"),
  icon: AppWindow,
  group: "general",
  Content: later(
    async () => (await import("../../features/settings/desktop/DesktopSection.tsx")).DesktopSection,
  ),
}

/** Settings sections by route, in the order of their groups. To add a section, add an entry here. */
export const settingsSections: SettingsSection[] = [
  {
    path: routes.settings,
    name: () => t("settings:sections.profile"),
    icon: UserRound,
    group: "general",
    Content: later(async () => (await import("../../features/settings/ProfileSection.tsx")).ProfileSection),
  },
  {
    path: routes.appearance,
    name: () => t("settings:sections.appearance"),
    icon: Palette,
    group: "general",
    Content: later(
      async () => (await import("../../features/settings/AppearanceSection.tsx")).AppearanceSection,
    ),
  },
  {
    path: routes.notificationSettings,
    name: () => t("settings:sections.notifications"),
    icon: Bell,
    group: "general",
    Content: later(
      async () =>
        (await import("../../features/notifications/NotificationsSection.tsx")).NotificationsSection,
    ),
  },
  {
    path: routes.memory,
    name: () => t("memory:section"),
    icon: Brain,
    group: "general",
    Content: later(async () => (await import("../../features/memory/MemorySection.tsx")).MemorySection),
  },
  ...(shellBridge() ? [desktopSection] : []),
  {
    path: routes.models,
    name: () => t("settings:sections.models"),
    icon: Cpu,
    group: "models",
    ownersOnly: true,
    Content: later(
      async () => (await import("../../features/models/sections/InUseSection.tsx")).InUseSection,
    ),
  },
  {
    path: routes.installedModels,
    name: () => t("settings:sections.installedModels"),
    icon: HardDriveDownload,
    group: "models",
    ownersOnly: true,
    Content: later(
      async () => (await import("../../features/models/sections/InstalledSection.tsx")).InstalledSection,
    ),
  },
  {
    path: routes.moreModels,
    name: () => t("settings:sections.moreModels"),
    icon: Download,
    group: "models",
    ownersOnly: true,
    Content: later(async () => (await import("../../features/models/sections/MoreSection.tsx")).MoreSection),
  },
  {
    path: routes.modelServers,
    name: () => t("settings:sections.modelServers"),
    icon: Server,
    group: "models",
    ownersOnly: true,
    Content: later(async () => (await import("../../features/models/servers/ServersGroup.tsx")).ServersGroup),
  },
  {
    path: routes.toolServers,
    name: () => t("integrations:servers.section"),
    icon: Plug,
    group: "tools",
    Content: later(
      async () => (await import("../../features/integrations/IntegrationSections.tsx")).ToolServersSection,
    ),
  },
  {
    path: routes.accounts,
    name: () => t("integrations:accounts.section"),
    icon: Link2,
    group: "tools",
    Content: later(
      async () => (await import("../../features/integrations/IntegrationSections.tsx")).AccountsSection,
    ),
  },
  {
    path: routes.webSearch,
    name: () => t("webSearch:section"),
    icon: Globe,
    group: "tools",
    ownersOnly: true,
    Content: later(
      async () => (await import("../../features/web-search/WebSearchSection.tsx")).WebSearchSection,
    ),
  },
  {
    path: routes.people,
    name: () => t("settings:sections.people"),
    icon: Users,
    group: "people",
    Content: later(
      async () => (await import("../../features/settings/people/PeopleSection.tsx")).PeopleSection,
    ),
  },
  {
    path: routes.keys,
    name: () => t("settings:sections.keys"),
    icon: KeyRound,
    group: "people",
    Content: later(async () => (await import("../../features/settings/KeysSection.tsx")).KeysSection),
  },
  {
    path: routes.network,
    name: () => t("settings:sections.network"),
    icon: Network,
    group: "people",
    ownersOnly: true,
    Content: later(
      async () => (await import("../../features/settings/people/NetworkSection.tsx")).NetworkSection,
    ),
  },
  {
    path: routes.importChats,
    name: () => t("settings:sections.import"),
    icon: FileInput,
    group: "data",
    Content: later(async () => (await import("../../features/chat-import/ImportSection.tsx")).ImportSection),
  },
  {
    path: routes.storage,
    name: () => t("settings:sections.storage"),
    icon: HardDrive,
    group: "data",
    ownersOnly: true,
    Content: later(
      async () => (await import("../../features/settings/storage/StorageSection.tsx")).StorageSection,
    ),
  },
  {
    path: routes.trash,
    name: () => t("settings:sections.trash"),
    icon: Trash2,
    group: "data",
    Content: later(async () => (await import("../../features/settings/storage/TrashGroup.tsx")).TrashGroup),
  },
  {
    path: routes.backup,
    name: () => t("settings:sections.backup"),
    icon: Archive,
    group: "data",
    ownersOnly: true,
    Content: later(
      async () => (await import("../../features/settings/storage/BackupSection.tsx")).BackupSection,
    ),
  },
  {
    path: routes.privacy,
    name: () => t("privacy:section"),
    icon: ShieldCheck,
    group: "data",
    Content: later(
      async () => (await import("../../features/settings/privacy/PrivacySection.tsx")).PrivacySection,
    ),
  },
  {
    path: routes.audit,
    name: () => t("audit:section"),
    icon: ClipboardList,
    group: "data",
    ownersOnly: true,
    Content: later(async () => (await import("../../features/settings/audit/AuditSection.tsx")).AuditSection),
  },
  {
    path: routes.support,
    name: () => t("support:section"),
    icon: LifeBuoy,
    group: "help",
    Content: later(async () => (await import("../../features/support/SupportSection.tsx")).SupportSection),
  },
  {
    path: routes.logs,
    name: () => t("settings:sections.logs"),
    icon: ScrollText,
    group: "help",
    ownersOnly: true,
    Content: later(async () => (await import("../../features/settings/LogsSection.tsx")).LogsSection),
  },
  {
    path: routes.about,
    name: () => t("settings:sections.about"),
    icon: Info,
    group: "help",
    Content: later(async () => (await import("../../features/settings/about/AboutSection.tsx")).AboutSection),
  },
]

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
  findable(routes.notificationSettings, "popups", t("settings:notifications.popups.title")),
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

interface FoundSetting {
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

/** The settings section at this path, scrolled to the setting in `wanted` if given. */
export function SettingsScreen({ path, wanted }: { path: string; wanted: string | undefined }) {
  const section = settingsSections.find((candidate) => candidate.path === path)
  if (!section) return <NotFound />
  const name = findableSettings().find((setting) => setting.path === path && setting.id === wanted)?.name
  return <SettingsPage section={section} wanted={name} back={getRouteBeforeSettings()} />
}
