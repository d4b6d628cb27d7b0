/** What the page may ask of the desktop shell, by name. The preload script needs no more than these. */
export const channelNames = [
  "pickDirectory",
  "showPopup",
  "closePopup",
  "takeRoute",
  "openInMain",
  "hideQuickAsk",
  "signInAgain",
  "setLanguage",
  "setUnreadCount",
  "setQuiet",
  "desktopOptions",
  "changeDesktopOptions",
  "updateState",
  "checkForUpdates",
  "installUpdate",
  "relaunch",
  "captureWindow",
] as const
export type ChannelName = (typeof channelNames)[number]

/** What the shell tells the page, by name. */
export const eventNames = ["routeWaiting", "quietChanged", "quickAskShown", "updateChanged"] as const
export type EventName = (typeof eventNames)[number]

/** Name of a channel or event on the wire between page and main. */
export const wireName = (name: ChannelName | EventName): string => `casella:${name}`
