import { useMutation, useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import type { DesktopChanges, UpdateState } from "../../../../shared/ipc.ts"
import { queryClient } from "../../../data/query-client.ts"
import { shellBridge } from "../../../lib/browser/shell-bridge.ts"

const optionsKey = ["desktop", "options"] as const
const updateKey = ["desktop", "update"] as const

/** The desktop app's options; null in a browser. */
export const useDesktopOptions = () =>
  useQuery({
    queryKey: optionsKey,
    queryFn: async () => (await shellBridge()?.desktopOptions()) ?? null,
  })

export const useChangeDesktopOptions = () =>
  useMutation({
    mutationFn: async (changes: DesktopChanges) =>
      (await shellBridge()?.changeDesktopOptions(changes)) ?? null,
    onSuccess: (options) => queryClient.setQueryData(optionsKey, options),
  })

const off: UpdateState = { status: "off" }

/** The current state of updates. */
export function useUpdateState(): UpdateState {
  useEffect(
    () => shellBridge()?.on("updateChanged", (state) => queryClient.setQueryData(updateKey, state)),
    [],
  )
  const { data } = useQuery({
    queryKey: updateKey,
    queryFn: async () => (await shellBridge()?.updateState()) ?? off,
  })
  return data ?? off
}

type KeyPress = Pick<KeyboardEvent, "code" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">

const named: Record<string, string> = {
  Space: "Space",
  Enter: "Enter",
  ArrowUp: "Up",
  ArrowDown: "Down",
  ArrowLeft: "Left",
  ArrowRight: "Right",
  Home: "Home",
  End: "End",
  PageUp: "PageUp",
  PageDown: "PageDown",
  Insert: "Insert",
}

/**
 * Returns a key press in Electron's notation ("Alt+Shift+Space"); null if it isn't a complete shortcut. Keys that type characters need
 * Ctrl, Alt or ⌘, because a shortcut applies in every program.
 */
export function getAccelerator(press: KeyPress, mac: boolean): string | null {
  const key = /^(?:Key([A-Z])|Digit(\d)|(F\d{1,2}))$/.exec(press.code)
  const name = key ? (key[1] ?? key[2] ?? key[3]) : named[press.code]
  if (name === undefined) return null
  const held = press.ctrlKey || press.altKey || press.metaKey
  if (!held && !/^F\d/.test(name)) return null
  return [
    ...(press.ctrlKey ? ["Ctrl"] : []),
    ...(press.metaKey ? [mac ? "Cmd" : "Super"] : []),
    ...(press.altKey ? ["Alt"] : []),
    ...(press.shiftKey ? ["Shift"] : []),
    name,
  ].join("+")
}

const macSymbols: Record<string, string> = { Ctrl: "⌃", Cmd: "⌘", Alt: "⌥", Shift: "⇧" }

/** The shortcut's keys in this computer's notation. */
export const acceleratorName = (accelerator: string, mac: boolean): string =>
  mac
    ? accelerator
        .split("+")
        .map((part) => macSymbols[part] ?? part)
        .join("")
    : accelerator.replaceAll("+", " ")
