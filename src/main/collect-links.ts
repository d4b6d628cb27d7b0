import { app } from "electron"
import { routeOfArguments, parseDeepLink } from "./deep-links.ts"

/** Called with a link's in-app route, or null if the program was only started again. */
export type FollowLink = (route: string | null) => void

/**
 * Listens for links and further starts as early as possible: on macOS, the link that starts the program arrives before there is anything to
 * show. Early links wait until a listener is set.
 */
export function collectLinks(): (follow: FollowLink) => void {
  let follow: FollowLink | undefined
  let latest: string | null = routeOfArguments(process.argv)
  const receive = (route: string | null) => {
    if (follow) follow(route)
    else latest = route ?? latest
  }
  app.on("second-instance", (_event, args) => receive(routeOfArguments(args)))
  app.on("open-url", (event, link) => {
    event.preventDefault()
    receive(parseDeepLink(link))
  })
  return (next) => {
    follow = next
    if (latest !== null) next(latest)
  }
}
