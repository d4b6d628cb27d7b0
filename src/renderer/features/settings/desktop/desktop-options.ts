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
