import { z } from "zod"

/**
 * What the page may ask of the desktop shell: channel name -> what goes in and what comes out. Main checks both, and
 * the sender. Everything else the page needs it gets from the box.
 */
export const channels = {
  /** Opens the system's directory chooser; null when it was cancelled. */
  pickDirectory: { input: z.undefined(), output: z.string().nullable() },
  /** Shows a popup of the system; answers whether it was clicked, which brings the window to the front. */
  showPopup: {
    input: z.object({ title: z.string().max(500), body: z.string().max(5000) }),
    output: z.boolean(),
  },
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType }>

export type Channels = typeof channels
export type ChannelName = keyof Channels

/** Name of a channel on the wire between page and main. */
export const wireName = (channel: ChannelName): string => `casella:${channel}`

/** The channels as functions, as the preload script gives them to the page. */
export type ShellBridge = {
  [C in ChannelName]: (
    ...input: undefined extends z.input<Channels[C]["input"]> ? [] : [z.input<Channels[C]["input"]>]
  ) => Promise<z.output<Channels[C]["output"]>>
}
