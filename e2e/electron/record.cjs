// Loaded before the program, in real Electron (`--require`) and in the stand-in alike. Notes what the program hands to
// the system (desktop-record.ts), so that journeys can act as the system does: click the tray, press the shortcut,
// answer a dialog.
const electron = require("electron")

const record = {
  trayMenu: undefined,
  appMenu: null,
  shortcuts: new Map(),
  popups: [],
  directories: [],
  children: [],
  opened: [],
  badge: 0,
}
globalThis.desktopRecord = record

/** Puts a note-taker behind a method, which still does its work. */
function watch(owner, name, note) {
  const original = owner[name]
  owner[name] = function watched(...args) {
    const result = original.apply(this, args)
    note(args, result, this)
    return result
  }
}

watch(electron.Tray.prototype, "setContextMenu", ([menu]) => {
  record.trayMenu = menu
})
watch(electron.Menu, "setApplicationMenu", ([menu]) => {
  record.appMenu = menu
})
watch(electron.globalShortcut, "register", ([keys, press]) => record.shortcuts.set(keys, press))
watch(electron.Notification.prototype, "show", (_args, _result, popup) =>
  record.popups.push({ popup, title: popup.title }),
)
watch(electron.utilityProcess, "fork", (_args, child) =>
  child.once("spawn", () => record.children.push(child.pid)),
)
watch(electron.app, "setBadgeCount", ([count]) => {
  record.badge = count
})
// These wait for a person: they are answered instead.
electron.dialog.showOpenDialog = async () => {
  const filePaths = record.directories.splice(0, 1)
  return { canceled: filePaths.length === 0, filePaths }
}
electron.shell.openExternal = async (address) => {
  record.opened.push(address)
}
