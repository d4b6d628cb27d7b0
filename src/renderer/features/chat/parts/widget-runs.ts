/** Set while a widget runs in this tab, and still set when the page loads again after a crash. */
const storageKey = "widgets-running"

/** Whether the page ended while a widget was running, other than by being left. The widget may have blocked the page. */
export const endedInWidget = sessionStorage.getItem(storageKey) !== null

let running = 0

/** Records that a widget is running, until the returned function is called. */
export function noteRunning(): () => void {
  running++
  sessionStorage.setItem(storageKey, "yes")
  return () => {
    if (--running === 0) sessionStorage.removeItem(storageKey)
  }
}

window.addEventListener("pagehide", () => sessionStorage.removeItem(storageKey))
