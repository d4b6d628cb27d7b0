/** For the tab only: whether widgets ran when the page was last there. */
const storageKey = "widgets-running"

/** Whether the page ended while a widget ran, and not by being left: the widget may have kept it from everything else. */
export const endedInWidget = sessionStorage.getItem(storageKey) !== null

let running = 0

/** Notes that a widget runs; the returned function, that it no longer does. */
export function noteRunning(): () => void {
  running++
  sessionStorage.setItem(storageKey, "yes")
  return () => {
    if (--running === 0) sessionStorage.removeItem(storageKey)
  }
}

window.addEventListener("pagehide", () => sessionStorage.removeItem(storageKey))
