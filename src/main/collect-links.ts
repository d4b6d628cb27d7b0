import { app } from "electron"
import { routeOfArguments, routeOfLink } from "./deep-links.ts"

/** Called with the in-app route of a link, or null when the program was only started again. */
export type FollowLink = (route: string | null) => void

/**
 * Listens for links and further starts from the first moment: on macOS the link that started the program comes before
 * there is anything to show. What comes early waits until someone follows.
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
    receive(routeOfLink(link))
  })
  return (next) => {
    follow = next
    if (latest !== null) next(latest)
  }
}
