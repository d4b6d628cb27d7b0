import { ipcMain } from "electron"
import { wireName, type ChannelName } from "../../shared/ipc-names.ts"
import { isBoxAddress } from "../guards/allowed-addresses.ts"
import { guardChannel, type ChannelHandler } from "./channel.ts"

/** The handler of each channel. The compiler reports missing ones. */
export type ChannelHandlers = { [C in ChannelName]: ChannelHandler<C> }

/** Registers all channels for the box's page. */
export function registerChannels(boxUrl: string, handlers: ChannelHandlers): void {
  const isTrusted = (address: string) => isBoxAddress(boxUrl, address)
  for (const channel of Object.keys(handlers) as ChannelName[]) {
    // Each handler has the same name as its channel, but the compiler can't follow that through a loop.
    const call = guardChannel(channel, isTrusted, handlers[channel] as ChannelHandler<typeof channel>)
    ipcMain.handle(wireName(channel), ({ senderFrame: frame }, input: unknown) =>
      // A frame inside the page, such as a widget's, has the box's address too, so frames with a parent are refused.
      call(frame?.parent ? undefined : frame?.url, input),
    )
  }
}
