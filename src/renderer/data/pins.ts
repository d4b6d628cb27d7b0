import { useMutation } from "@tanstack/react-query"
import type { Pin } from "../../shared/contract/settings.ts"
import { box, describeError } from "../lib/box.ts"
import { showToast } from "../lib/toasts.ts"
import { cacheSettings, useSettings } from "./settings.ts"

/** Folders, projects and assistants pinned in the sidebar. */
export const usePins = (): Pin[] => useSettings().data?.pins ?? []

/** Whether an item is pinned, and a function that toggles it. */
export function usePin({ kind, id }: Pin): [pinned: boolean, toggle: () => void] {
  const pins = usePins()
  const { mutate } = useMutation({
    mutationFn: (next: Pin[]) => box.settings.update({ body: { pins: next } }),
    onSuccess: ({ settings }) => cacheSettings(settings),
    onError: (error) => showToast(describeError(error), "error"),
  })
  const others = pins.filter((pin) => pin.kind !== kind || pin.id !== id)
  const pinned = others.length < pins.length
  return [pinned, () => mutate(pinned ? others : [...others, { kind, id }])]
}
