import { z } from "zod"
import type { ChannelName, EventName } from "./ipc-names.ts"

const nothing = { input: z.undefined(), output: z.void() }

/** Names a popup: one of the same name takes an earlier one's place. */
const PopupTag = z.string().max(200)

/** What the owner of this computer chose about the desktop program, and what the system offers. */
const DesktopOptions = z.object({
  /** Casella starts when its user signs in to the computer. */
  openAtLogin: z.boolean(),
  /** Closing the window leaves Casella running in the tray or dock. */
  keepRunning: z.boolean(),
  /** Keys that open quick ask from anywhere, as Electron writes them ("Alt+Space"); null when there are none. */
  quickAskShortcut: z.string().nullable(),
  /** False when another program holds these keys, or when they aren't keys. */
  quickAskRegistered: z.boolean(),
  spellCheckLanguages: z.array(z.string()),
  /** Empty on macOS, which finds the language by itself. */
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
  /** No feed is set, or this isn't an installed copy: nothing is ever asked for. */
  z.object({ status: z.literal("off") }),
  z.object({ status: z.enum(["idle", "checking", "current"]) }),
  z.object({ status: z.enum(["available", "ready"]), version: z.string() }),
  z.object({ status: z.literal("downloading"), version: z.string(), percent: z.number() }),
  z.object({ status: z.literal("failed"), message: z.string() }),
])
export type UpdateState = z.infer<typeof UpdateState>

/**
 * What the page may ask of the desktop shell: channel name -> what goes in and what comes out. Main checks both, and
 * the sender. Everything else the page needs it gets from the box.
 */
export const channels = {
  /** Opens the system's directory chooser; null when it was cancelled. */
  pickDirectory: { input: z.undefined(), output: z.string().nullable() },
  /**
   * Shows a popup of the system. Answers that it was clicked, which brings the window to the front, or which of its buttons was;
   * null where neither was. Not every system shows buttons.
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
  /** Takes away a popup that is still shown. */
  closePopup: { input: PopupTag, output: z.void() },
  /** The in-app route that a menu, the tray or a link asks the main window for; null when none does. */
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
  /** Signs the local owner in anew, in every window. */
  signInAgain: nothing,
  /** The language the page is drawn in: menus and tray follow it. */
  setLanguage: { input: z.enum(["en", "it"]), output: z.void() },
  /** The count on the app's icon. */
  setUnreadCount: { input: z.int().min(0), output: z.void() },
  /** Do not disturb, which the page keeps: the tray shows it. */
  setQuiet: { input: z.boolean(), output: z.void() },
  desktopOptions: { input: z.undefined(), output: DesktopOptions },
  /** Changes what is given; answers what then holds, which is what to show. */
  changeDesktopOptions: { input: DesktopChanges, output: DesktopOptions },
  updateState: { input: z.undefined(), output: UpdateState },
  checkForUpdates: { input: z.undefined(), output: UpdateState },
  /** Downloads an update that is available; installs one that is ready, which restarts Casella. */
  installUpdate: { input: z.undefined(), output: UpdateState },
  relaunch: nothing,
  /** The main window as a PNG in a data URL; null when it shows nothing. */
  captureWindow: { input: z.undefined(), output: z.string().nullable() },
} as const satisfies Record<ChannelName, { input: z.ZodType; output: z.ZodType }>

export type Channels = typeof channels

/** What the shell tells the page, and what comes with it. */
export interface ShellEvents extends Record<EventName, unknown> {
  /** A route waits to be taken with `takeRoute`. */
  routeWaiting: undefined
  /** Do not disturb was switched in the tray. */
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

/** The channels as functions, as the preload script gives them to the page. */
export interface ShellBridge extends ChannelFunctions {
  /** Where a file or directory stands that was dropped or chosen; empty for one that the page made. */
  pathOf(file: File): string
  /** Calls `listener` for each such event until the returned function is called. */
  on<E extends EventName>(event: E, listener: (payload: ShellEvents[E]) => void): () => void
}
