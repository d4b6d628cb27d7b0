import { useEffect, useEffectEvent, useRef, useState } from "react"
import { navigate, splitHash } from "./hash-location.ts"

interface LeaveGuard {
  /** Whether the user is being asked. */
  asked: boolean
  /** Continues to the page that the user wanted to open. */
  leave: () => void
  stay: () => void
  /** Turns the guard off. */
  lift: () => void
}

/** The user has agreed to leave the page. One answer is valid for all its forms. */
let isLeaving = false

/**
 * Asks before the user leaves the page in any way: by a link, a shortcut, or back and forward. Browsers without the Navigation API don't
 * ask. `blocks` is called when the user tries to leave.
 */
export function useLeaveGuard(blocks: () => boolean): LeaveGuard {
  const [to, setTo] = useState<string>()
  const leaving = useRef(false)
  const onNavigate = useEffectEvent((event: NavigateEvent) => {
    const { sameDocument, url } = event.destination
    const { hash } = new URL(url)
    const leavesPage = splitHash(hash).path !== splitHash(window.location.hash).path
    if (!event.cancelable || !sameDocument || !leavesPage || event.defaultPrevented) return
    if (isLeaving || leaving.current || !blocks()) return
    event.preventDefault()
    setTo(hash.slice(1))
  })
  useEffect(() => {
    if (!("navigation" in window)) return
    const { navigation } = window
    navigation.addEventListener("navigate", onNavigate)
    return () => navigation.removeEventListener("navigate", onNavigate)
  }, [])
  return {
    asked: to !== undefined,
    leave() {
      if (to === undefined) return
      leaving.current = true
      isLeaving = true
      navigate(to)
      isLeaving = false
    },
    stay: () => setTo(undefined),
    lift() {
      leaving.current = true
    },
  }
}
