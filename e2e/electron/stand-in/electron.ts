// Replaces the "electron" module when its binary isn't available. It implements the parts that the shell uses, on plain Node, with pages of
// an ordinary Chromium as windows. Features that need Electron itself (sandbox, permissions, navigation guards) are missing.
import { fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { EventEmitter } from "node:events"
import { existsSync, mkdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect } from "./wire.ts"

const preventable = () => {
  const event = { defaultPrevented: false, preventDefault: () => void (event.defaultPrevented = true) }
  return event
}

class App extends EventEmitter {
  isPackaged = false
  #paths: Record<string, string> = {}
  #quitting = false

  commandLine = { appendSwitch() {} }
  whenReady = () => Promise.resolve()
  enableSandbox() {}
  setPath(name: string, path: string) {
    this.#paths[name] = path
  }
  getPath(name: string) {
    return this.#paths[name] ?? join(this.#paths["userData"] ?? "/nonexistent", name)
  }
  getAppPath = () => process.cwd()
  getPreferredSystemLanguages = () => ["en"]
  setAsDefaultProtocolClient = () => true
  setBadgeCount = () => true
  getLoginItemSettings = () => ({ openAtLogin: false, wasOpenedAtLogin: false })
  setLoginItemSettings() {}
  relaunch() {}

  /** A file marks the first instance; later instances leave their arguments next to it. */
  requestSingleInstanceLock(): boolean {
    const directory = this.getPath("userData")
    const mark = join(directory, "stand-in.pid")
    if (existsSync(mark) && isAlive(Number(readFileSync(mark, "utf8")))) {
      writeFileSync(join(directory, `stand-in-${randomUUID()}.json`), JSON.stringify(process.argv))
      return false
    }
    mkdirSync(directory, { recursive: true })
    writeFileSync(mark, String(process.pid))
    watch(directory, (_event, name) => {
      const path = join(directory, name ?? "")
      if (!/^stand-in-.*\.json$/.test(name ?? "") || !existsSync(path)) return
      const text = readFileSync(path, "utf8")
      if (!text.endsWith("]")) return // the file is still being written
      rmSync(path, { force: true })
      this.emit("second-instance", preventable(), JSON.parse(text), directory)
    }).unref()
    return true
  }

  quit(): void {
    if (this.#quitting) return
    this.#quitting = true
    this.emit("before-quit", preventable())
    for (const window of BrowserWindow.getAllWindows()) {
      if (window.close()) continue
      this.#quitting = false
      return
    }
    const event = preventable()
    this.emit("will-quit", event)
    if (!event.defaultPrevented) this.exit(0)
  }

  exit(code = 0): void {
    process.exit(code)
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export const app = new App()

class WebContents extends EventEmitter {
  session: typeof session.defaultSession
  readonly id: number
  #openHandler: (details: { url: string }) => unknown = () => undefined

  constructor(id: number) {
    super()
    this.id = id
    this.session = session.defaultSession
  }
  setWindowOpenHandler(handler: (details: { url: string }) => unknown) {
    this.#openHandler = handler
  }
  wantsToOpen(url: string) {
    this.#openHandler({ url })
  }
  send(channel: string, ...args: unknown[]) {
    void wire.call("send", this.id, channel, args)
  }
  reload() {
    void wire.call("reload", this.id)
  }
  forcefullyCrashRenderer() {
    void wire.call("crash", this.id)
  }
  replaceMisspelling() {}
}

interface Bounds {
  x: number
  y: number
  width: number
  height: number
}

export class BrowserWindow extends EventEmitter {
  static #windows = new Map<number, BrowserWindow>()
  static #last = 0
  static getAllWindows = () => [...BrowserWindow.#windows.values()]
  static getFocusedWindow = () => BrowserWindow.getAllWindows().find((window) => window.isFocused()) ?? null
  static fromId = (id: number) => BrowserWindow.#windows.get(id) ?? null

  readonly id = ++BrowserWindow.#last
  readonly webContents = new WebContents(this.id)
  #opened: Promise<unknown>
  #visible = false
  #focused = false
  #maximised = false
  #bounds: Bounds

  constructor(options: Partial<Bounds> & { webPreferences: { preload: string } }) {
    super()
    this.#bounds = {
      x: options.x ?? 0,
      y: options.y ?? 0,
      width: options.width ?? 800,
      height: options.height ?? 600,
    }
    BrowserWindow.#windows.set(this.id, this)
    this.#opened = wire.call("open", this.id, this.#bounds, options.webPreferences.preload)
    app.emit("web-contents-created", preventable(), this.webContents)
    app.emit("browser-window-created", preventable(), this)
  }
  async loadURL(url: string) {
    await this.#opened
    await wire.call("load", this.id, url)
    this.emit("ready-to-show")
  }
  show() {
    this.#visible = true
    this.emit("show")
    this.focus()
  }
  focus() {
    for (const window of BrowserWindow.getAllWindows()) window.#focused = window === this
    void wire.call("focus", this.id)
  }
  hide() {
    this.#visible = false
    this.#focused = false
  }
  close(): boolean {
    const event = preventable()
    this.emit("close", event)
    if (event.defaultPrevented) return false
    BrowserWindow.#windows.delete(this.id)
    void wire.call("close", this.id)
    this.emit("closed")
    return true
  }
  destroy() {
    BrowserWindow.#windows.delete(this.id)
    void wire.call("close", this.id)
    this.emit("closed")
  }
  isVisible = () => this.#visible
  isFocused = () => this.#focused
  isMinimized = () => false
  isMaximized = () => this.#maximised
  restore() {}
  maximize() {
    this.#maximised = true
  }
  getBounds = () => this.#bounds
  getNormalBounds = () => this.#bounds
  setBounds(bounds: Bounds) {
    this.#bounds = bounds
  }
  setOverlayIcon() {}
}

type Handler = (event: { senderFrame: { url: string } }, ...args: unknown[]) => unknown
const handlers = new Map<string, Handler>()
export const ipcMain = { handle: (channel: string, handler: Handler) => void handlers.set(channel, handler) }

interface Item {
  label?: string
  role?: string
  type?: string
  checked?: boolean
  submenu?: Item[]
  click?: (item: { checked: boolean }) => void
}

export class Menu {
  items: (Omit<Item, "submenu"> & { submenu?: Menu; click(): void })[]
  constructor(template: Item[]) {
    this.items = template.map(({ submenu, click, ...rest }) => {
      const item = {
        label: "",
        ...rest,
        ...(submenu ? { submenu: new Menu(submenu) } : {}),
        click() {
          if (item.type === "checkbox") item.checked = item.checked !== true
          click?.({ checked: item.checked === true })
        },
      }
      return item
    })
  }
  static buildFromTemplate = (template: Item[]) => new Menu(template)
  static setApplicationMenu() {}
  popup() {}
}

export class Tray extends EventEmitter {
  setToolTip() {}
  setContextMenu() {}
}

export class Notification extends EventEmitter {
  static isSupported = () => true
  readonly title: string
  readonly actions: { text?: string }[]
  constructor({ title, actions }: { title: string; actions: { text?: string }[] }) {
    super()
    this.title = title
    this.actions = actions
  }
  show() {}
  close() {
    this.emit("close")
  }
}

export const nativeImage = {
  createFromPath(path: string) {
    if (!existsSync(path)) throw new Error(`${path} is missing.`)
    return { path }
  },
}
export const globalShortcut = { register: () => true, unregister() {} }
export const dialog = {
  showOpenDialog: () => Promise.resolve({ canceled: true, filePaths: [] }),
  showMessageBox: () => Promise.resolve({ response: 0 }),
  showMessageBoxSync: () => 1,
  showErrorBox: (title: string, text: string) => void process.stderr.write(`${title}: ${text}\n`),
}
export const shell = { openExternal: () => Promise.resolve() }
export const clipboard = { writeText() {} }
export const safeStorage = {
  isAsyncEncryptionAvailable: () => Promise.resolve(false),
  getSelectedStorageBackend: () => "basic_text",
}
const workArea = { x: 0, y: 0, width: 1920, height: 1080 }
export const screen = {
  getAllDisplays: () => [{ workArea }],
  getDisplayNearestPoint: () => ({ workArea }),
  getCursorScreenPoint: () => ({ x: 0, y: 0 }),
}
export const session = {
  defaultSession: {
    availableSpellCheckerLanguages: ["en-GB", "it"],
    setPermissionRequestHandler() {},
    setPermissionCheckHandler() {},
    setSpellCheckerEnabled() {},
    setSpellCheckerLanguages() {},
    setSpellCheckerDictionaryDownloadURL() {},
    on() {},
    isSpellCheckerEnabled: () => false,
    getSpellCheckerLanguages: () => [] as string[],
    addWordToSpellCheckerDictionary() {},
  },
}

/** Gives a forked process a `parentPort` instead of its channel. Electron ends a utility process with its parent. */
const parentPort = `
const { pid, _kill: kill } = process
process.parentPort = {
  postMessage: (message) => void (process.connected && process.send(message, undefined, undefined, () => undefined)),
  on: (_, listener) => void process.on("message", (data) => listener({ data })),
}
process.on("disconnect", () => kill(pid, 9))`

/** A utility process is a forked process here; both exchange structured clones. */
class UtilityProcess extends EventEmitter {
  readonly #child
  stderr
  constructor(
    path: string,
    args: string[],
    options: { env: Record<string, string>; execArgv: string[]; stdio: string[] },
  ) {
    super()
    const { env, execArgv, stdio } = options
    this.#child = fork(path, args, {
      env,
      execArgv: [...execArgv, "--import", `data:text/javascript,${encodeURIComponent(parentPort)}`],
      serialization: "advanced",
      stdio: [...stdio, "ipc"] as ("ignore" | "pipe" | "inherit" | "ipc")[],
    })
    this.stderr = this.#child.stderr
    this.#child.on("message", (message) => this.emit("message", message))
    this.#child.once("exit", (code) => this.emit("exit", code))
    this.#child.once("spawn", () => this.emit("spawn"))
  }
  get pid() {
    return this.#child.pid
  }
  postMessage(message: object) {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }
  kill = () => this.#child.kill()
}
export const utilityProcess = {
  fork: (path: string, args: string[], options: ConstructorParameters<typeof UtilityProcess>[2]) =>
    new UtilityProcess(path, args, options),
}

const wire = connect(
  {
    send: (message) => process.send?.(message),
    onMessage: (listener) => process.on("message", listener),
  },
  {
    invoke: (url: string, channel: string, args: unknown[]) => {
      const handler = handlers.get(channel)
      if (!handler) throw new Error(`Nothing handles ${channel}.`)
      return handler({ senderFrame: { url } }, ...args)
    },
    crashed: (id: number) =>
      void BrowserWindow.fromId(id)?.webContents.emit("render-process-gone", preventable(), {
        reason: "crashed",
      }),
    wantsToOpen: (id: number, url: string) => BrowserWindow.fromId(id)?.webContents.wantsToOpen(url),
    evaluate: (source: string, arg: unknown) => {
      // oxlint-disable-next-line no-eval -- the test's own function, as Playwright does it in Electron
      const run = (0, eval)(`(${source})`) as (electron: unknown, arg: unknown) => unknown
      return run({ app, BrowserWindow, dialog, globalShortcut, Menu }, arg)
    },
  },
)
process.on("disconnect", () => process.exit(1))
process.on("SIGTERM", () => app.quit())
