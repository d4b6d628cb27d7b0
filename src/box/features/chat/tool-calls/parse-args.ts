const longest = 200_000
/** Maximum nesting depth. Deeper values can be parsed but not serialised, so the answer couldn't be stored. */
const deepest = 100

/** Parses a model's tool arguments. Returns the object in the text, or the text itself if it contains no usable object. */
export function parseArgs(text: string): unknown {
  if (text.length > longest) return text.slice(0, longest)
  if (isTooDeep(text)) return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : text
  } catch {
    return text
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isInString && character === "\\") at++
    else if (character === '"') isInString = !isInString
    else if (isInString) continue
    else if (character === "{" || character === "[") depth++
    else if (character === "}" || character === "]") depth--
    if (depth > deepest) return true
  }
  return false
}
