/** Shorter ones are words that stand for no key, such as `none`, `EMPTY` or `lm-studio`. */
const shortestSecret = 12
const hidden = "[key]"

/** A server's words without the key that it was sent: some repeat it when they refuse it, and what it says is shown and stored. */
export function hideKey(text: string, key: string | null): string {
  return key === null || key.length < shortestSecret ? text : text.replaceAll(key, hidden)
}

/** The same of all texts in a parsed answer, which it changes. */
export function hideKeyIn(value: unknown, key: string | null): unknown {
  if (typeof value === "string") return hideKey(value, key)
  if (key === null || key.length < shortestSecret || typeof value !== "object" || value === null) return value
  const waiting: object[] = [value]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const [name, part] of Object.entries(next)) {
      if (typeof part === "string") Reflect.set(next, name, hideKey(part, key))
      else if (typeof part === "object" && part !== null) waiting.push(part as object)
    }
  }
  return value
}
