import { Menu, type MenuItemConstructorOptions } from "electron"
import type { DesktopActions } from "./desktop-actions.ts"
import type { Strings } from "../strings/strings.ts"

const separator: MenuItemConstructorOptions = { type: "separator" }
const onMac = process.platform === "darwin"

/** Sets the program's menu bar in the page's language. */
export function setAppMenu(t: Strings, actions: DesktopActions, options: { updates: boolean }): void {
  const settings = {
    label: t("settings"),
    accelerator: "CmdOrCtrl+,",
    click: () => actions.openRoute("/settings"),
  }
  const about = { label: t("about"), click: () => actions.openRoute("/settings/about") }
  const updates = options.updates
    ? [{ label: t("checkForUpdates"), click: () => actions.checkForUpdates() }]
    : []
  const quit = { label: t("quit"), accelerator: "CmdOrCtrl+Q", click: () => actions.quit() }
  const menu: MenuItemConstructorOptions[] = [
    ...(onMac ? [macMenu(t, [about, ...updates, separator, settings], quit)] : []),
    {
      label: t("file"),
      submenu: [
        { label: t("newChat"), accelerator: "CmdOrCtrl+N", click: () => actions.openRoute("/") },
        { label: t("quickAsk"), click: () => actions.quickAsk() },
        separator,
        ...(onMac ? [] : [settings, separator]),
        { role: "close", label: t("close") },
        ...(onMac ? [] : [quit]),
      ],
    },
    { label: t("edit"), submenu: editItems(t) },
    { label: t("view"), submenu: viewItems(t) },
    { label: t("window"), role: "window", submenu: windowItems(t) },
    {
      label: t("help"),
      role: "help",
      submenu: [
        { label: t("reportProblem"), click: () => actions.openRoute("/settings/support?new") },
        ...(onMac ? [] : [...updates, separator, about]),
      ],
    },
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(menu))
}

function macMenu(
  t: Strings,
  first: MenuItemConstructorOptions[],
  quit: MenuItemConstructorOptions,
): MenuItemConstructorOptions {
  return {
    label: "Casella",
    submenu: [
      ...first,
      separator,
      { role: "services", label: t("services") },
      separator,
      { role: "hide", label: t("hide") },
      { role: "hideOthers", label: t("hideOthers") },
      { role: "unhide", label: t("showAll") },
      separator,
      quit,
    ],
  }
}

const editItems = (t: Strings): MenuItemConstructorOptions[] => [
  { role: "undo", label: t("undo") },
  { role: "redo", label: t("redo") },
  separator,
  { role: "cut", label: t("cut") },
  { role: "copy", label: t("copy") },
  { role: "paste", label: t("paste") },
  { role: "pasteAndMatchStyle", label: t("pastePlain") },
  { role: "selectAll", label: t("selectAll") },
]

const viewItems = (t: Strings): MenuItemConstructorOptions[] => [
  { role: "reload", label: t("reload") },
  { role: "toggleDevTools", label: t("developerTools") },
  separator,
  { role: "resetZoom", label: t("actualSize") },
  { role: "zoomIn", label: t("zoomIn") },
  { role: "zoomOut", label: t("zoomOut") },
  separator,
  { role: "togglefullscreen", label: t("fullScreen") },
]

const windowItems = (t: Strings): MenuItemConstructorOptions[] => [
  { role: "minimize", label: t("minimise") },
  ...(onMac ? [separator, { role: "front" as const, label: t("bringAllToFront") }] : []),
]
