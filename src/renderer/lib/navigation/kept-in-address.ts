import { navigate, splitHash } from "./hash-location.ts"

/**
 * Writes the state of a page, such as a folder's open tab, into its address, so that it is restored on return. The history entry no longer
 * belongs to a document open next to the page: closing the document doesn't go back to the page's previous state.
 */
export function setAddressParameters(parameters: Record<string, string | undefined>): void {
  const { path, search } = splitHash(window.location.hash)
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(parameters))
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  navigate(next.size === 0 ? path : `${path}?${next.toString()}`, { replace: true })
}
