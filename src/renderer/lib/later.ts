import { lazy, useSyncExternalStore, type ComponentType } from "react"
import { fetchLaterStrings } from "./words/language.ts"

/** Maximum number of retries while the box responds. While it doesn't, loading is retried without limit and the page says so. */
const tries = 20
const betweenMs = 500

const answers = () =>
  fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(10_000) }).then(
    () => true,
    () => false,
  )

/** A failed import would otherwise never be fetched again, and this part of the page would stay broken until a reload. */
async function retryLoading<T>(load: () => Promise<T>): Promise<T> {
  let left = tries
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if ((await answers()) && left-- === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, betweenMs))
    }
  }
}

/** A part of the page that is loaded when it is first rendered, together with the strings that only such parts use. */
export const later = <Props>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    const [part] = await retryLoading(() => Promise.all([load(), fetchLaterStrings()]))
    return { default: part }
  })

/** Code of controls that work in a simpler way until it has loaded. */
export interface ControlCode<Code> {
  /** Starts loading, unless that has happened. */
  fetch(): void
  /** For components: returns the code, or undefined until it has loaded. Starts loading. Throws if that fails. */
  use(): Code | undefined
}

/**
 * Loads code of controls, together with the strings of later parts. Components get it while no button of the mouse is pressed, because a
 * browser drops the click if the pressed element is replaced before it is released.
 */
export function controlCode<Code extends object>(load: () => Promise<Code>): ControlCode<Code> {
  let state: { code?: Code; failure?: Error } = {}
  let isFetching = false
  const listeners = new Set<() => void>()
  const change = (next: typeof state) => {
    state = next
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const get = () => state
  const fetch = () => {
    if (isFetching) return
    isFetching = true
    retryLoading(() => Promise.all([load(), fetchLaterStrings()])).then(
      ([code]) => onceReleased(() => change({ code })),
      (failure: unknown) =>
        change({ failure: failure instanceof Error ? failure : new Error(String(failure)) }),
    )
  }
  return {
    fetch,
    use() {
      fetch()
      const { code, failure } = useSyncExternalStore(subscribe, get, get)
      if (failure) throw failure
      return code
    },
  }
}

let isPressed = false
let awaitingRelease: (() => void)[] = []

/** Runs an action now, or after the click if a button of the mouse is pressed. */
function onceReleased(run: () => void): void {
  if (isPressed) awaitingRelease.push(run)
  else run()
}

/** A menu of the system hides the release. */
const releases = ["pointerup", "pointercancel", "contextmenu"]

/** Notices when a button of the mouse, or a finger, is pressed and released. */
export function watchPresses(target: EventTarget): void {
  const release = () => {
    isPressed = false
    // The browser sends the click directly after the release.
    setTimeout(() => {
      if (isPressed) return
      const runs = awaitingRelease
      awaitingRelease = []
      for (const run of runs) run()
    })
  }
  target.addEventListener("pointerdown", () => (isPressed = true), { capture: true })
  for (const type of releases) target.addEventListener(type, release, { capture: true })
  target.addEventListener("blur", release) // another window may hide the release too
}
