const storageKey = "palette-recent"
const longest = 5

/** Returns the IDs of the commands last used in the palette, newest first. */
export function readRecent(): string[] {
  return (localStorage.getItem(storageKey) ?? "").split("\n").filter((id) => id !== "")
}

export function rememberRecent(id: string): void {
  const others = readRecent().filter((other) => other !== id)
  localStorage.setItem(storageKey, [id, ...others].slice(0, longest).join("\n"))
}
