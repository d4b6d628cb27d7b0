import { fileURLToPath } from "node:url"
import {
  Menu,
  type MenuItemConstructorOptions,
  nativeImage,
  Tray,
  app,
  type BrowserWindow,
  clipboard,
  type ContextMenuParams,
} from "electron"
import type { UpdateState } from "../shared/ipc.ts"
import { opensAtLogin } from "./desktop-options.ts"
import type { OpenDesktopSettings } from "./desktop-settings.ts"
import type { Strings } from "./strings/strings.ts"
import type { Updates } from "./updates/updates.ts"

/** Actions of the menus and the tray. */
export interface DesktopActions {
  open(): void
  /** Opens an in-app route in the main window. */
  openRoute(route: string): void
  quickAsk(): void
  setQuiet(quiet: boolean): void
  setKeepRunning(keepRunning: boolean): void
  setOpenAtLogin(openAtLogin: boolean): void
  checkForUpdates(): void
  installUpdate(): void
  quit(): void
}

/** Path of an image in `resources/desktop/`; works from both the bundle and the sources. */
const shippedImage = (name: string): string =>
  fileURLToPath(new URL(`../../resources/desktop/${name}`, import.meta.url))

const separator: MenuItemConstructorOptions = { type: "separator" }
const onMac = process.platform === "darwin"

/** Sets the program's menu bar in the page's language. */
function setAppMenu(t: Strings, actions: DesktopActions, options: { updates: boolean }): void {
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

interface TrayState {
  quiet: boolean
  unread: number
  keepRunning: boolean
  openAtLogin: boolean
  update: UpdateState
}

/** Creates the tray icon. Call `draw` again after its content changes. */
function createTray(actions: DesktopActions) {
  const tray = new Tray(nativeImage.createFromPath(shippedImage(trayImage())))
  tray.on("click", () => {
    if (process.platform !== "darwin") actions.open()
  })
  return {
    draw(t: Strings, state: TrayState): void {
      tray.setToolTip(state.unread === 0 ? "Casella" : `Casella · ${t("unread", { count: state.unread })}`)
      tray.setContextMenu(Menu.buildFromTemplate(trayMenu(t, state, actions)))
    },
  }
}

function trayImage(): string {
  if (process.platform === "darwin") return "trayTemplate.png"
  return process.platform === "win32" ? "tray.ico" : "tray.png"
}

function trayMenu(t: Strings, state: TrayState, actions: DesktopActions): MenuItemConstructorOptions[] {
  return [
    { label: t("open"), click: () => actions.open() },
    { label: t("newChat"), click: () => actions.openRoute("/") },
    { label: t("quickAsk"), click: () => actions.quickAsk() },
    { type: "separator" },
    {
      label: t("doNotDisturb"),
      type: "checkbox",
      checked: state.quiet,
      click: ({ checked }) => actions.setQuiet(checked),
    },
    {
      label: t("keepRunning"),
      type: "checkbox",
      checked: state.keepRunning,
      click: ({ checked }) => actions.setKeepRunning(checked),
    },
    {
      label: t("openAtLogin"),
      type: "checkbox",
      checked: state.openAtLogin,
      click: ({ checked }) => actions.setOpenAtLogin(checked),
    },
    { type: "separator" },
    ...updateItem(t, state.update, actions),
    { label: t("quit"), click: () => actions.quit() },
  ]
}

function updateItem(t: Strings, update: UpdateState, actions: DesktopActions): MenuItemConstructorOptions[] {
  if (update.status !== "available" && update.status !== "ready") return []
  const label = t(update.status === "ready" ? "restartToUpdate" : "update", { version: update.version })
  return [{ label, click: () => actions.installUpdate() }]
}

/** Shows the unread count on the app's icon as a number, or on Windows as a dot with the number as its accessible description. */
function setBadge(t: Strings, count: number, window: BrowserWindow | undefined): void {
  if (process.platform !== "win32") app.setBadgeCount(count)
  else if (count === 0) window?.setOverlayIcon(null, "")
  else window?.setOverlayIcon(nativeImage.createFromPath(shippedImage("badge.png")), t("unread", { count }))
}

/** Keeps the menu, the tray and the badge up to date. */
export function createStatus({
  strings,
  settings,
  actions,
  updates,
  window,
}: {
  strings(): Strings
  settings: OpenDesktopSettings
  actions: DesktopActions
  updates: Pick<Updates, "state">
  window(): BrowserWindow | undefined
}) {
  const tray = createTray(actions)
  let shown = { quiet: false, unread: 0 }

  function draw(): void {
    const t = strings()
    setAppMenu(t, actions, { updates: updates.state.status !== "off" })
    const { keepRunning } = settings.current
    tray.draw(t, { ...shown, keepRunning, openAtLogin: opensAtLogin(), update: updates.state })
    setBadge(t, shown.unread, window())
  }

  return {
    draw,
    set(changes: Partial<typeof shown>): void {
      shown = { ...shown, ...changes }
      draw()
    },
  }
}

const contextSeparator: MenuItemConstructorOptions = { type: "separator" }

/** Adds the context menu with spelling suggestions and actions for text and links. */
export function addContextMenu(window: BrowserWindow, strings: () => Strings): void {
  const { webContents } = window
  const spelling = {
    replace: (word: string) => webContents.replaceMisspelling(word),
    learn: (word: string) => webContents.session.addWordToSpellCheckerDictionary(word),
  }
  webContents.on("context-menu", (_event, params) => {
    const items = contextItems(strings(), params, spelling)
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window })
  })
}

interface Spelling {
  replace(word: string): void
  learn(word: string): void
}

function contextItems(
  t: Strings,
  params: ContextMenuParams,
  spelling: Spelling,
): MenuItemConstructorOptions[] {
  const groups = [
    params.misspelledWord === "" ? [] : spellingItems(t, params, spelling),
    params.linkURL === "" ? [] : [{ label: t("copyLink"), click: () => clipboard.writeText(params.linkURL) }],
    textItems(t, params),
  ]
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => (index === 0 ? group : [contextSeparator, ...group]))
}

function spellingItems(
  t: Strings,
  params: ContextMenuParams,
  spelling: Spelling,
): MenuItemConstructorOptions[] {
  const { misspelledWord: word, dictionarySuggestions: suggestions } = params
  return [
    ...(suggestions.length === 0
      ? [{ label: t("noSuggestions"), enabled: false }]
      : suggestions.map((label) => ({ label, click: () => spelling.replace(label) }))),
    contextSeparator,
    { label: t("learnWord", { word }), click: () => spelling.learn(word) },
  ]
}

function textItems(t: Strings, { isEditable, editFlags, selectionText }: ContextMenuParams) {
  const copy: MenuItemConstructorOptions = { role: "copy", label: t("copy"), enabled: editFlags.canCopy }
  if (!isEditable) return selectionText.trim() === "" ? [] : [copy]
  return [
    { role: "cut" as const, label: t("cut"), enabled: editFlags.canCut },
    copy,
    { role: "paste" as const, label: t("paste"), enabled: editFlags.canPaste },
    { role: "selectAll" as const, label: t("selectAll"), enabled: editFlags.canSelectAll },
  ]
}
