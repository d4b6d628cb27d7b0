import { ipcMain } from "electron"
import { wireName, type ChannelName } from "../../shared/ipc-names.ts"
import { isBoxAddress } from "../walls/trusted-address.ts"
import { guardChannel, type ChannelHandler } from "./channel.ts"

/** What answers each channel; the compiler lists what is missing. */
export type ChannelHandlers = { [C in ChannelName]: ChannelHandler<C> }

/** Opens all channels to the box's page. */
export function registerChannels(boxUrl: string, handlers: ChannelHandlers): void {
  const isTrusted = (address: string) => isBoxAddress(boxUrl, address)
  for (const channel of Object.keys(handlers) as ChannelName[]) {
    // Each channel's handler stands under its name; the compiler can't follow that through a loop.
    const call = guardChannel(channel, isTrusted, handlers[channel] as ChannelHandler<typeof channel>)
    ipcMain.handle(wireName(channel), ({ senderFrame: frame }, input: unknown) =>
      // A frame inside the page, such as a widget's, is at the box's address too.
      call(frame?.parent ? undefined : frame?.url, input),
    )
  }
}
