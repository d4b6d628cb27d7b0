import { Notification } from "electron"

/** Systems don't always say that a popup is gone. */
const longestWaitMs = 10 * 60_000
/** More that are still waited for than this: the oldest make room. */
const mostOpen = 10

const open = new Set<Notification>()

/** A popup of the system. Answers whether it was clicked; `onClick` is called first, which brings the window to the front. */
export function showPopup(
  { title, body }: { title: string; body: string },
  onClick: () => void,
): Promise<boolean> {
  if (!Notification.isSupported()) return Promise.resolve(false)
  const popup = new Notification({ title, body })
  open.add(popup)
  for (const oldest of [...open].slice(0, -mostOpen)) oldest.close()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => popup.close(), longestWaitMs)
  const end = (clicked: boolean) => {
    clearTimeout(timer)
    open.delete(popup)
    resolve(clicked)
  }
  popup.once("click", () => {
    onClick()
    end(true)
  })
  popup.once("close", () => end(false))
  popup.once("failed", () => end(false))
  popup.show()
  return promise
}
