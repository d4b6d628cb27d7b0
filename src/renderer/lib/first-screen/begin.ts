import { finishLinkRoute, firstScreenPath, signInRoute } from "../../../shared/app-routes.ts"
import { sessionHeaders, sessionSecret } from "../browser/session-secret.ts"

declare global {
  interface Window {
    /** The box's answer to what the page shows first; nothing where it wasn't asked, or the answer was taken. */
    firstScreen?: Promise<Response> | undefined
  }
}

/** Whose screens ask nothing, and may let somebody else in. */
const others = [signInRoute, finishLinkRoute]

/** Asks what the page shows first, so that the box answers while the page's code is still being taken in. */
export function beginFirstScreen(): void {
  const { hash } = window.location
  if (sessionSecret() === null || others.some((route) => hash.startsWith(`#${route}`))) return
  window.firstScreen = fetch(firstScreenPath, { headers: sessionHeaders() })
  window.firstScreen.catch(() => undefined) // whoever takes it hears
}
