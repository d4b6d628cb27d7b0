/** Shorter keys are placeholder words, such as `none`, `EMPTY` or `lm-studio`. */
const minSecretLength = 12
const hidden = "[key]"

/** Removes the API key from a server's text. Some servers repeat a key that they reject, and their text is shown and stored. */
export function hideKey(text: string, key: string | null): string {
  return key === null || key.length < minSecretLength ? text : text.replaceAll(key, hidden)
}

/** Removes the key from all texts in a parsed answer. Changes the answer in place. */
export function hideKeyIn(value: unknown, key: string | null): unknown {
  if (typeof value === "string") return hideKey(value, key)
  if (key === null || key.length < minSecretLength || typeof value !== "object" || value === null)
    return value
  const waiting: object[] = [value]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const [name, part] of Object.entries(next)) {
      if (typeof part === "string") Reflect.set(next, name, hideKey(part, key))
      else if (typeof part === "object" && part !== null) waiting.push(part as object)
    }
  }
  return value
}
