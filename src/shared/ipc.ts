import { z } from "zod"
import type { ChannelName, EventName } from "./ipc-names.ts"
import { languageCodes } from "./languages.ts"

const nothing = { input: z.undefined(), output: z.void() }

/** Identifies a popup. A new popup with the same tag replaces the earlier one. */
const PopupTag = z.string().max(200)

/** The computer owner's choices for the desktop app, and the options that the system offers. */
const DesktopOptions = z.object({
  /** Whether Casella starts when its user signs in to the computer. */
  openAtLogin: z.boolean(),
  /** Whether Casella stays in the tray or dock when the window is closed. */
  keepRunning: z.boolean(),
  /** Shortcut that opens quick ask from anywhere, in Electron's notation ("Alt+Space"); null if there is none. */
  quickAskShortcut: z.string().nullable(),
  /** False if another program uses these keys, or if they aren't a valid shortcut. */
  quickAskRegistered: z.boolean(),
  spellCheckLanguages: z.array(z.string()),
  /** Empty on macOS, which detects the language by itself. */
  availableSpellCheckLanguages: z.array(z.string()),
})
export type DesktopOptions = z.infer<typeof DesktopOptions>

const DesktopChanges = z.strictObject({
  openAtLogin: z.boolean().optional(),
  keepRunning: z.boolean().optional(),
  quickAskShortcut: z.string().min(1).max(60).nullable().optional(),
  spellCheckLanguages: z.array(z.string().max(20)).max(20).optional(),
})
export type DesktopChanges = z.infer<typeof DesktopChanges>

const UpdateState = z.discriminatedUnion("status", [
  /** No update feed is set, or this isn't an installed copy, so updates are never checked. */
  z.object({ status: z.literal("off") }),
  z.object({ status: z.enum(["idle", "checking", "current"]) }),
  z.object({ status: z.enum(["available", "ready"]), version: z.string() }),
  z.object({ status: z.literal("downloading"), version: z.string(), percent: z.number() }),
  z.object({ status: z.literal("failed"), message: z.string() }),
])
export type UpdateState = z.infer<typeof UpdateState>

/**
 * The page's requests to the desktop shell: channel name -> input and output. The main process checks both, and the sender. The page gets
 * everything else from the box.
 */
export const channels = {
  /** Opens the system's directory chooser; null if it was cancelled. */
  pickDirectory: { input: z.undefined(), output: z.string().nullable() },
  /**
   * Shows a system popup. Returns whether it was clicked, which brings the window to the front, or the index of the button that was; null
   * if neither was clicked. Not every system shows buttons.
   */
  showPopup: {
    input: z.object({
      tag: PopupTag,
      title: z.string().max(500),
      body: z.string().max(5000),
      actions: z.array(z.string().max(100)).max(6),
    }),
    output: z.union([z.literal("opened"), z.int().min(0), z.null()]),
  },
  /** Closes a popup that is still shown. */
  closePopup: { input: PopupTag, output: z.void() },
  /** The in-app route that a menu, the tray or a link requests for the main window; null if there is none. */
  takeRoute: { input: z.undefined(), output: z.string().nullable() },
  /** Brings the main window to the front on an in-app route, and hides quick ask. */
  openInMain: {
    input: z
      .string()
      .max(10_000)
      .regex(/^\/(?!\/)/),
    output: z.void(),
  },
  hideQuickAsk: nothing,
  /** Signs the local owner in again, in every window. */
  signInAgain: nothing,
  /** The page's language, which menus and tray use too. */
  setLanguage: { input: z.enum(languageCodes), output: z.void() },
  /** The unread count on the app's icon. */
  setUnreadCount: { input: z.int().min(0), output: z.void() },
  /** The page's do-not-disturb state, which the tray shows. */
  setQuiet: { input: z.boolean(), output: z.void() },
  desktopOptions: { input: z.undefined(), output: DesktopOptions },
  /** Changes the given options and returns the resulting ones, which should then be shown. */
  changeDesktopOptions: { input: DesktopChanges, output: DesktopOptions },
  updateState: { input: z.undefined(), output: UpdateState },
  checkForUpdates: { input: z.undefined(), output: UpdateState },
  /** Downloads an available update, or installs one that is ready, which restarts Casella. */
  installUpdate: { input: z.undefined(), output: UpdateState },
  relaunch: nothing,
  /** The main window as a PNG data URL; null if it shows nothing. */
  captureWindow: { input: z.undefined(), output: z.string().nullable() },
} as const satisfies Record<ChannelName, { input: z.ZodType; output: z.ZodType }>

export type Channels = typeof channels

/** Events from the shell to the page, with their payloads. */
export interface ShellEvents extends Record<EventName, unknown> {
  /** A route is ready to be read with `takeRoute`. */
  routeWaiting: undefined
  /** Do-not-disturb was switched in the tray. */
  quietChanged: boolean
  /** The quick-ask window came to the front. */
  quickAskShown: undefined
  updateChanged: UpdateState
}

type ChannelFunctions = {
  [C in ChannelName]: (
    ...input: undefined extends z.input<Channels[C]["input"]> ? [] : [z.input<Channels[C]["input"]>]
  ) => Promise<z.output<Channels[C]["output"]>>
}

/** The channels as functions, which the preload script exposes to the page. */
export interface ShellBridge extends ChannelFunctions {
  /** Path of a file or directory that was dropped or chosen; empty for one that the page created. */
  getPath(file: File): string
  /** Calls `listener` for each event until the returned function is called. */
  on<E extends EventName>(event: E, listener: (payload: ShellEvents[E]) => void): () => void
}
