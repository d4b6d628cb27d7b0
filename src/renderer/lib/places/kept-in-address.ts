import { navigate, splitHash } from "./hash-location.ts"

/**
 * Writes how a screen is shown, such as a folder's open tab, into its address: who comes back to it finds it so. A document
 * that is open beside it isn't what this entry of the history is for any more: closing it doesn't go back to how the
 * screen was.
 */
export function keepInAddress(parameters: Record<string, string | undefined>): void {
  const { path, search } = splitHash(window.location.hash)
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(parameters))
    if (value === undefined) next.delete(name)
    else next.set(name, value)
  navigate(next.size === 0 ? path : `${path}?${next.toString()}`, { replace: true })
}
