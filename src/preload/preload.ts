import { contextBridge, ipcRenderer } from "electron"
import { channels, wireName, type ChannelName } from "../shared/ipc.ts"

/** The page gets one function per channel and nothing else of Electron. */
const bridge = Object.fromEntries(
  (Object.keys(channels) as ChannelName[]).map((channel) => [
    channel,
    (input: unknown) => ipcRenderer.invoke(wireName(channel), input),
  ]),
)

contextBridge.exposeInMainWorld("casella", bridge)
