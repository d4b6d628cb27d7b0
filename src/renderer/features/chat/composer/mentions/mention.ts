import type { ReactNode } from "react"

/** Something that can be mentioned in a question. */
export interface MentionOption {
  id: string
  name: string
  /** A few words shown next to the name. */
  detail?: string
  icon: ReactNode
}

/** A list that opens for a trigger character in a question. */
export interface MentionSource {
  /** The character, such as "#". */
  trigger: string
  /** The title of the list. */
  title: string
  options: MentionOption[]
  onChoose: (option: MentionOption) => void
  /** Called with the text after the trigger, or undefined when no mention is open. For options that must be searched for. */
  onQuery?: (query: string | undefined) => void
}

/** A mention being typed, from its trigger to the caret. */
export interface OpenMention {
  trigger: string
  start: number
  query: string
}

const maxNameLength = 120
const maxOffered = 8

/** Returns the mention that ends at the caret. Its trigger must start a word, and no space may follow the trigger. */
export function mentionAt(text: string, caret: number, triggers: readonly string[]): OpenMention | undefined {
  const earliest = Math.max(0, caret - maxNameLength)
  for (let start = caret - 1; start >= earliest; start--) {
    const character = text.charAt(start)
    if (character === "\n") return undefined
    if (!triggers.includes(character)) continue
    const query = text.slice(start + 1, caret)
    const isWordStart = start === 0 || /[\s(]/.test(text.charAt(start - 1))
    return isWordStart && !/^[\s#]/.test(query) ? { trigger: character, start, query } : undefined
  }
  return undefined
}

/** Returns the options that match the typed text. Names that start with it come first. */
export function matchingOptions(options: readonly MentionOption[], query: string): MentionOption[] {
  const wanted = fold(query)
  const matchIndex = ({ name }: MentionOption) => fold(name).indexOf(wanted)
  return options
    .filter((option) => matchIndex(option) >= 0)
    .toSorted((a, b) => Math.sign(matchIndex(a)) - Math.sign(matchIndex(b)))
    .slice(0, maxOffered)
}

/** Returns the text with the completed mention, and the new caret position. */
export function completeMention(
  text: string,
  { trigger, start, query }: OpenMention,
  name: string,
): { text: string; caret: number } {
  const written = `${trigger}${name} `
  const rest = text.slice(start + 1 + query.length).replace(/^ /, "")
  return { text: text.slice(0, start) + written + rest, caret: start + written.length }
}

const fold = (text: string): string =>
  text
    .normalize("NFD")
    .replaceAll(/\p{Diacritic}/gu, "")
    .toLowerCase()
