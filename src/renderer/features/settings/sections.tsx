import { t } from "i18next"
import {
  AppWindow,
  Bell,
  Brain,
  Cpu,
  Globe,
  HardDrive,
  Info,
  KeyRound,
  LifeBuoy,
  Palette,
  Plug,
  ScrollText,
  ShieldCheck,
  UserRound,
  Users,
  type LucideIcon,
} from "lucide-react"
import { lazy, type ComponentType } from "react"
import { routes } from "../../lib/places/routes.ts"
import { shellBridge } from "../../lib/browser/shell-bridge.ts"

export interface SettingsSection {
  path: string
  /** Its name in the page's language; ask while rendering. */
  name: () => string
  icon: LucideIcon
  group: SettingsGroupId
  /** It is about everyone's data, or about the computer: the box refuses others. */
  ownersOnly?: true
  Content: ComponentType
}

export const settingsGroups = ["you", "workspace", "box", "app"] as const
export type SettingsGroupId = (typeof settingsGroups)[number]

const desktopSection: SettingsSection = {
  path: routes.desktop,
  name: () => t("desktop:section"),
  icon: AppWindow,
  group: "app",
  Content: lazy(async () => ({ default: (await import("../desktop/DesktopSection.tsx")).DesktopSection })),
}

/** Settings' sections by route, in the order of their groups. A new section is one entry here. */
export const settingsSections: SettingsSection[] = [
  {
    path: routes.settings,
    name: () => t("settings:sections.profile"),
    icon: UserRound,
    group: "you",
    Content: lazy(async () => ({ default: (await import("./ProfileSection.tsx")).ProfileSection })),
  },
  {
    path: routes.keys,
    name: () => t("settings:sections.keys"),
    icon: KeyRound,
    group: "you",
    Content: lazy(async () => ({ default: (await import("./KeysSection.tsx")).KeysSection })),
  },
  {
    path: routes.notificationSettings,
    name: () => t("settings:sections.notifications"),
    icon: Bell,
    group: "you",
    Content: lazy(async () => ({
      default: (await import("../notifications/NotificationsSection.tsx")).NotificationsSection,
    })),
  },
  {
    path: routes.memory,
    name: () => t("memory:section"),
    icon: Brain,
    group: "you",
    Content: lazy(async () => ({ default: (await import("../memory/MemorySection.tsx")).MemorySection })),
  },
  {
    path: routes.integrations,
    name: () => t("integrations:section"),
    icon: Plug,
    group: "you",
    Content: lazy(async () => ({
      default: (await import("../integrations/IntegrationsSection.tsx")).IntegrationsSection,
    })),
  },
  {
    path: routes.people,
    name: () => t("settings:sections.people"),
    icon: Users,
    group: "workspace",
    Content: lazy(async () => ({ default: (await import("./people/PeopleSection.tsx")).PeopleSection })),
  },
  {
    path: routes.models,
    name: () => t("settings:sections.models"),
    icon: Cpu,
    group: "box",
    ownersOnly: true,
    Content: lazy(async () => ({ default: (await import("../models/ModelsSection.tsx")).ModelsSection })),
  },
  {
    path: routes.webSearch,
    name: () => t("webSearch:section"),
    icon: Globe,
    group: "box",
    ownersOnly: true,
    Content: lazy(async () => ({
      default: (await import("../web-search/WebSearchSection.tsx")).WebSearchSection,
    })),
  },
  {
    path: routes.privacy,
    name: () => t("privacy:section"),
    icon: ShieldCheck,
    group: "box",
    Content: lazy(async () => ({ default: (await import("./privacy/PrivacySection.tsx")).PrivacySection })),
  },
  {
    path: routes.storage,
    name: () => t("settings:sections.storage"),
    icon: HardDrive,
    group: "box",
    ownersOnly: true,
    Content: lazy(async () => ({ default: (await import("./storage/StorageSection.tsx")).StorageSection })),
  },
  {
    path: routes.logs,
    name: () => t("settings:sections.logs"),
    icon: ScrollText,
    group: "box",
    ownersOnly: true,
    Content: lazy(async () => ({ default: (await import("./LogsSection.tsx")).LogsSection })),
  },
  {
    path: routes.appearance,
    name: () => t("settings:sections.appearance"),
    icon: Palette,
    group: "app",
    Content: lazy(async () => ({ default: (await import("./AppearanceSection.tsx")).AppearanceSection })),
  },
  ...(shellBridge() ? [desktopSection] : []),
  {
    path: routes.support,
    name: () => t("support:section"),
    icon: LifeBuoy,
    group: "app",
    Content: lazy(async () => ({ default: (await import("../support/SupportSection.tsx")).SupportSection })),
  },
  {
    path: routes.about,
    name: () => t("settings:sections.about"),
    icon: Info,
    group: "app",
    Content: lazy(async () => ({ default: (await import("./about/AboutSection.tsx")).AboutSection })),
  },
]
