const longest = 200_000
/** Deeper values can be read, but not written again: the answer that holds them couldn't be stored. */
const deepest = 100

/** What a model gave a function: the object that the text holds; the text itself where it holds none that can be used. */
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
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inString && character === "\\") at++
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === "{" || character === "[") depth++
    else if (character === "}" || character === "]") depth--
    if (depth > deepest) return true
  }
  return false
}
