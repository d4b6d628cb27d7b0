import type { Page } from "playwright-core"

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Processor time in microseconds. */
  tdur?: number
}

/** Traces the page's main thread until the returned function is called, which returns each task's processor time in ms. */
export async function traceMainThread(page: Page): Promise<() => Promise<number[]>> {
  const browser = page.context().browser()
  await browser?.startTracing(page, {
    categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"],
  })
  return async () => taskTimes((await browser?.stopTracing())?.toString() ?? "")
}

/** Processor times of the tasks on the page's script thread. */
function taskTimes(trace: string): number[] {
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] }
  const thread = ({ pid, tid }: TraceEvent) => `${String(pid)}/${String(tid)}`
  const calls = Map.groupBy(
    traceEvents.filter(({ name }) => name === "FunctionCall"),
    thread,
  )
  const [main] = [...calls].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  const tasks = traceEvents.filter((event) => event.name === "RunTask" && thread(event) === main)
  if (tasks.length === 0) throw new Error("The browser's trace has no tasks in it.")
  return tasks.map(({ tdur = 0 }) => tdur / 1000)
}
