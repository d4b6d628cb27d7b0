/** Names of the requests that the page may send to the desktop shell. The preload script needs only these. */
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

/** Names of the events that the shell sends to the page. */
export const eventNames = ["routeWaiting", "quietChanged", "quickAskShown", "updateChanged"] as const
export type EventName = (typeof eventNames)[number]

/** IPC name of a channel or an event between page and main process. */
export const wireName = (name: ChannelName | EventName): string => `casella:${name}`
