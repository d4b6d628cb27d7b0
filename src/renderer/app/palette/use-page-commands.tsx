import { t } from "i18next"
import {
  Bell,
  BellOff,
  Bot,
  CalendarClock,
  FolderPlus,
  Folders,
  Inbox,
  Keyboard,
  Languages,
  Layers,
  LifeBuoy,
  Monitor,
  Moon,
  PanelLeft,
  Settings,
  SquarePen,
  Sun,
  Download,
  Pencil,
  Pin,
  PinOff,
  Trash2,
} from "lucide-react"
import type { ReactNode } from "react"
import { useLocation, useRoute } from "wouter"
import { languageCodes, languages } from "../../../shared/languages.ts"
import { chatDeletions } from "../../data/chats/chat-deletions.ts"
import { useConversation, useUpdateConversation } from "../../data/chats/conversations.ts"
import { markAllRead } from "../../data/notifications.ts"
import { useOwner } from "../../data/session.ts"
import type { WantedDialog } from "../../features/conversations/ConversationActions.tsx"
import { exportChats } from "../../features/conversations/export-chat.ts"
import { shortcutKeys, type ShortcutId } from "../../lib/keys/shortcut.ts"
import { inAnHour } from "../../lib/moments.ts"
import { areaIds, areas } from "../../lib/navigation/areas.ts"
import { useFolderHere } from "../../lib/navigation/open-document.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { workRoutes } from "../../lib/navigation/work-routes.ts"
import { useQuietMode } from "../../lib/quiet-mode.ts"
import { openReport } from "../../lib/report-dialog.ts"
import { useTheme } from "../../lib/theme.ts"
import { showError } from "../../lib/toasts.ts"
import { chooseLanguage } from "../../lib/words/language.ts"
import {
  getAddress,
  findableSettings,
  getSectionWords,
  settingsSections,
} from "../settings/SettingsScreen.tsx"
import type { Command, Group } from "./command.ts"

export interface FrameActions {
  onToggleSidebar: () => void
  onOpenShortcuts: () => void
  onOpenChatDialog: (wanted: WantedDialog) => void
}

const anHourFromNow = () => inAnHour(new Date())

/** Actions, screens and settings, which need no request to the box. */
export function useStaticCommands({ onToggleSidebar, onOpenShortcuts }: FrameActions): Command[] {
  const [, navigate] = useLocation()
  const [, setTheme] = useTheme()
  const owner = useOwner()
  const make =
    (group: Group) =>
    (
      id: string,
      name: string,
      icon: ReactNode,
      run: () => void,
      { words, shortcut }: { words?: string; shortcut?: ShortcutId } = {},
    ): Command => ({
      id: `${group} ${id}`,
      group,
      name,
      ...(words === undefined ? {} : { words }),
      icon,
      ...(shortcut === undefined ? {} : { keys: shortcutKeys(shortcut) }),
      run,
    })
  const [quiet, setQuiet] = useQuietMode()
  const theme = { words: t("search:words.theme") }
  const action = make("actions")
  const screen = (
    group: Group,
    route: string,
    name: string,
    icon: ReactNode,
    more?: { words?: string; shortcut?: ShortcutId },
  ) => make(group)(route, name, icon, () => navigate(route), more)

  return [
    action(
      "new-chat",
      t("frame:palette.actions.newChat"),
      <SquarePen aria-hidden />,
      () => navigate(routes.newChat),
      { words: t("search:words.newChat"), shortcut: "newChat" },
    ),
    action(
      "new-folder",
      t("frame:palette.actions.newFolder"),
      <FolderPlus aria-hidden />,
      () => navigate(routes.newFolder),
      { words: t("search:words.newFolder") },
    ),
    action("new-project", t("projects:new"), <Layers aria-hidden />, () => navigate(routes.newProject), {
      words: t("search:words.newProject"),
    }),
    action(
      "new-assistant",
      t("frame:palette.actions.newAssistant"),
      <Bot aria-hidden />,
      () => navigate(routes.newAssistant),
      { words: t("search:words.newAssistant") },
    ),
    action(
      "new-automation",
      t("automations:new"),
      <CalendarClock aria-hidden />,
      () => navigate(workRoutes.new),
      { words: t("search:words.newAutomation") },
    ),
    action(
      "mark-all-read",
      t("frame:palette.actions.markAllRead"),
      <Bell aria-hidden />,
      () => {
        markAllRead().catch(showError)
      },
      { words: t("search:words.markAllRead") },
    ),
    quiet
      ? action("quiet", t("search:quietOff"), <BellOff aria-hidden />, () => setQuiet(false), {
          words: t("search:words.quiet"),
        })
      : action("quiet", t("search:quietHour"), <BellOff aria-hidden />, () => setQuiet(anHourFromNow()), {
          words: t("search:words.quiet"),
        }),
    action("sidebar", t("frame:palette.actions.toggleSidebar"), <PanelLeft aria-hidden />, onToggleSidebar, {
      words: t("search:words.sidebar"),
      shortcut: "toggleSidebar",
    }),
    action("shortcuts", t("frame:palette.actions.shortcuts"), <Keyboard aria-hidden />, onOpenShortcuts, {
      words: t("search:words.shortcuts"),
      shortcut: "overview",
    }),
    action("report", t("frame:reportProblem"), <LifeBuoy aria-hidden />, () => void openReport(), {
      words: t("search:words.report"),
      shortcut: "report",
    }),
    action(
      "light",
      t("frame:palette.actions.lightTheme"),
      <Sun aria-hidden />,
      () => setTheme("light"),
      theme,
    ),
    action("dark", t("frame:palette.actions.darkTheme"), <Moon aria-hidden />, () => setTheme("dark"), theme),
    action(
      "system",
      t("frame:palette.actions.systemTheme"),
      <Monitor aria-hidden />,
      () => setTheme("system"),
      theme,
    ),
    ...languageCodes.map((code) =>
      action(
        code,
        t("frame:palette.actions.language", { name: languages[code] }),
        <Languages aria-hidden />,
        () => void chooseLanguage(code),
        { words: t("search:words.language") },
      ),
    ),
    action(
      "system-language",
      t("frame:palette.actions.systemLanguage"),
      <Languages aria-hidden />,
      () => void chooseLanguage("system"),
      { words: t("search:words.language") },
    ),
    screen("screens", routes.assistants, t("frame:assistants"), <Bot aria-hidden />, {
      words: t("search:words.assistants"),
    }),
    screen("screens", routes.folders, t("frame:allFolders"), <Folders aria-hidden />, {
      words: t("search:words.folders"),
    }),
    screen("screens", routes.projects, t("projects:title"), <Layers aria-hidden />, {
      words: t("search:words.projects"),
    }),
    screen("screens", routes.inbox, t("areas:inbox"), <Inbox aria-hidden />, {
      words: t("search:words.inbox"),
    }),
    ...areaIds.map((id) => {
      const { route, icon: Icon } = areas[id]
      const words = id === "work" || id === "workbox" ? { words: t(`search:words.${id}`) } : {}
      return screen("screens", route, t(`areas:${id}.name`), <Icon aria-hidden />, words)
    }),
    screen("screens", routes.settings, t("frame:settings"), <Settings aria-hidden />, {
      shortcut: "settings",
    }),
    ...settingsSections
      .filter(({ ownersOnly }) => owner || !ownersOnly)
      .map(({ path, name, icon: Icon }) =>
        screen(
          "settings",
          path,
          `${t("frame:settings")}: ${name()}`,
          <Icon aria-hidden />,
          getSectionWords(path),
        ),
      ),
    ...findableSettings().flatMap((setting): Command[] => {
      const section = settingsSections.find(({ path }) => path === setting.path)
      if (!section || (section.ownersOnly && !owner)) return []
      const { icon: Icon } = section
      const address = getAddress(setting)
      const command = screen("settings", address, setting.name, <Icon aria-hidden />, {
        words: setting.words,
      })
      return [{ ...command, detail: section.name(), isSearchOnly: true }]
    }),
  ]
}

/** Commands for the chat or folder on screen. */
export function useCommandsHere(openDialog: FrameActions["onOpenChatDialog"]): Command[] {
  const [, navigate] = useLocation()
  const [, params] = useRoute<{ chatId: string }>("/inter/chat/:chatId")
  const chatId = params?.chatId ?? ""
  const folderId = useFolderHere()
  const { data: chat } = useConversation(chatId, undefined, chatId !== "")
  const update = useUpdateConversation(chatId)
  const here = (
    id: string,
    name: string,
    words: string,
    icon: Command["icon"],
    run: () => void,
  ): Command => ({
    id: `here ${id}`,
    group: "here",
    name,
    words,
    icon,
    run,
  })
  if (folderId !== undefined) {
    const ask = () => navigate(routes.newChatIn(folderId))
    return [here("ask", t("search:askHere"), t("search:words.newChat"), <SquarePen aria-hidden />, ask)]
  }
  if (!chat) return []
  const Icon = chat.pinned ? PinOff : Pin
  return [
    here("export", t("search:exportChat"), t("search:words.export"), <Download aria-hidden />, () => {
      exportChats([chatId]).catch(showError)
    }),
    here(
      "pin",
      t(chat.pinned ? "search:unpinChat" : "search:pinChat"),
      t("search:words.pin"),
      <Icon aria-hidden />,
      () => update.mutate({ pinned: !chat.pinned }, { onError: showError }),
    ),
    here("rename", t("search:renameChat"), t("search:words.rename"), <Pencil aria-hidden />, () =>
      openDialog({ what: "rename", chat }),
    ),
    here("move", t("search:moveChat"), t("search:words.move"), <Layers aria-hidden />, () =>
      openDialog({ what: "move", chat }),
    ),
    here("delete", t("search:deleteChat"), t("search:words.delete"), <Trash2 aria-hidden />, () => {
      void chatDeletions.remove({ id: chatId, title: chat.title })
    }),
  ]
}
