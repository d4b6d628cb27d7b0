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
import type { SettingsSection } from "../../features/settings/SettingsPage.tsx"
import { routes } from "../../lib/navigation/routes.ts"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"
import { later } from "../../lib/later.ts"

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
      async () => (await import("../../features/integrations/ToolServersSection.tsx")).ToolServersSection,
    ),
  },
  {
    path: routes.accounts,
    name: () => t("integrations:accounts.section"),
    icon: Link2,
    group: "tools",
    Content: later(
      async () => (await import("../../features/integrations/AccountsSection.tsx")).AccountsSection,
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
