import type { ReactNode } from "react"

/** Something that can be named in a question. */
export interface MentionOption {
  id: string
  name: string
  /** A few words beside the name. */
  detail?: string
  icon: ReactNode
}

/** What a character in a question opens a list of. */
export interface MentionSource {
  /** The character, such as "#". */
  trigger: string
  /** What the list is called. */
  title: string
  options: MentionOption[]
  onChoose: (option: MentionOption) => void
  /** What is typed after the trigger; undefined: none is being named any more. For options that have to be looked for. */
  onQuery?: (query: string | undefined) => void
}

/** A name that is being typed: from its trigger to the caret. */
export interface OpenMention {
  trigger: string
  start: number
  query: string
}

const longestName = 120
const mostOffered = 8

/** The mention that the caret is at the end of: its trigger begins a word, and no space follows it. */
export function mentionAt(text: string, caret: number, triggers: readonly string[]): OpenMention | undefined {
  const earliest = Math.max(0, caret - longestName)
  for (let start = caret - 1; start >= earliest; start--) {
    const character = text.charAt(start)
    if (character === "\n") return undefined
    if (!triggers.includes(character)) continue
    const query = text.slice(start + 1, caret)
    const beginsWord = start === 0 || /[\s(]/.test(text.charAt(start - 1))
    return beginsWord && !/^[\s#]/.test(query) ? { trigger: character, start, query } : undefined
  }
  return undefined
}

/** The options that fit what was typed: names that begin with it first. */
export function matchingOptions(options: readonly MentionOption[], query: string): MentionOption[] {
  const wanted = fold(query)
  const place = ({ name }: MentionOption) => fold(name).indexOf(wanted)
  return options
    .filter((option) => place(option) >= 0)
    .toSorted((a, b) => Math.sign(place(a)) - Math.sign(place(b)))
    .slice(0, mostOffered)
}

/** The text with the mention written out, and where the caret goes. */
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
