/** The @mention name that follows from a display name (decisions.md 5). */
export function deriveHandle(name: string): string {
  const folded = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]/g, "")
  return folded === "" ? "assistant" : folded
}

/** The first of `base`, `base2`, `base3` … that isn't taken. */
export function freeHandle(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base
  let number = 2
  while (taken.has(`${base}${number}`)) number++
  return `${base}${number}`
}
