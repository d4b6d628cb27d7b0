import { finishLinkRoute, firstScreenPath, signInRoute } from "../../shared/app-routes.ts"
import { sessionHeaders, sessionSecret } from "./browser/sign-in-storage.ts"

declare global {
  interface Window {
    /** The box's early response for the first page; undefined if nothing was requested, or the response was already used. */
    firstScreen?: Promise<Response> | undefined
  }
}

/** Routes whose pages need no data and may sign in another user. */
const others = [signInRoute, finishLinkRoute]

/** Requests the first page's data, so that the box responds while the page's code is still loading. */
export function requestFirstScreen(): void {
  const { hash } = window.location
  if (sessionSecret() === null || others.some((route) => hash.startsWith(`#${route}`))) return
  window.firstScreen = fetch(firstScreenPath, { headers: sessionHeaders() })
  window.firstScreen.catch(() => undefined) // the caller that uses it handles the error
}
