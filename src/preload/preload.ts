import { contextBridge, ipcRenderer, webUtils, type IpcRendererEvent } from "electron"
import { channelNames, eventNames, wireName, type EventName } from "../shared/ipc-names.ts"

/**
 * The page gets one function per channel, a listener for the shell's events, the paths of dropped files, and nothing else from Electron.
 */
const bridge = {
  ...Object.fromEntries(
    channelNames.map((channel) => [
      channel,
      (input: unknown) => ipcRenderer.invoke(wireName(channel), input),
    ]),
  ),
  getPath: (file: File) => webUtils.getPathForFile(file),
  on(event: EventName, listener: (payload: unknown) => void) {
    if (!eventNames.includes(event)) throw new Error(`There is no event "${event}".`)
    const hear = (_event: IpcRendererEvent, payload: unknown) => listener(payload)
    ipcRenderer.on(wireName(event), hear)
    return () => {
      ipcRenderer.off(wireName(event), hear)
    }
  },
}

contextBridge.exposeInMainWorld("casella", bridge)
