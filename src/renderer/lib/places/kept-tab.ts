import { navigate, splitHash } from "./hash-location.ts"
import type { FolderTab } from "./routes.ts"

/** Writes a folder's open tab into the address, so that who comes back to it finds it open. */
export function keepTab(tab: FolderTab): void {
  const { path, search } = splitHash(window.location.hash)
  const parameters = new URLSearchParams(search)
  parameters.set("tab", tab)
  // What the entry of the history is marked with stays.
  navigate(`${path}?${parameters.toString()}`, { replace: true, state: window.history.state as unknown })
}
