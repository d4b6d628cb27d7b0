import { ipcMain } from "electron"
import { wireName, type ChannelName } from "../../shared/ipc.ts"
import { isBoxAddress } from "../trusted-address.ts"
import { guardChannel, type ChannelHandler } from "./channel.ts"
import { pickDirectory } from "./pick-directory.ts"
import { showPopup } from "./show-popup.ts"

/** What answers each channel; the compiler lists what is missing. */
const handlers: { [C in ChannelName]: ChannelHandler<C> } = { pickDirectory, showPopup }

/** Opens all channels to the box's page. */
export function registerChannels(boxUrl: string): void {
  for (const channel of Object.keys(handlers) as ChannelName[]) {
    const call = guardChannel(channel, (address) => isBoxAddress(boxUrl, address), handlers[channel])
    ipcMain.handle(wireName(channel), (event, input: unknown) => call(event.senderFrame?.url, input))
  }
}
