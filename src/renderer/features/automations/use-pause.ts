import { useMutation } from "@tanstack/react-query"
import type { Automation } from "../../../shared/contract/automations.ts"
import { switchAutomations } from "../../data/automations.ts"
import { useRemembered } from "../../lib/remembered.ts"
import { showFailure } from "./run-now.ts"

const isIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

interface Pause {
  /** Whether `change` switches all automations off; otherwise it switches those back on. */
  pausing: boolean
  busy: boolean
  /** Undefined if there is nothing to switch. */
  change: (() => void) | undefined
}

/** Switches all enabled automations off, and later back on. Which ones they were is stored on this computer. */
export function usePause(automations: readonly Automation[]): Pause {
  const [paused, setPaused] = useRemembered<string[]>("paused-automations", [], isIds)
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ ids, on }: { ids: string[]; on: boolean }) => switchAutomations(ids, on),
    onError: showFailure,
  })
  const running = automations.filter(({ enabled }) => enabled).map(({ id }) => id)
  const resting = automations.filter(({ id, enabled }) => !enabled && paused.includes(id)).map(({ id }) => id)
  const pausing = isPending ? !variables.on : running.length > 0
  function pause() {
    setPaused(running)
    mutate({ ids: running, on: false })
  }
  const change = () => (running.length > 0 ? pause() : mutate({ ids: resting, on: true }))
  return { pausing, busy: isPending, change: running.length + resting.length > 0 ? change : undefined }
}
