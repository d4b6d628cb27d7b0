import { createContext } from "react"

/** The message list, for code that navigates in it. */
export interface ShownList {
  scroller: () => HTMLElement | null
  content: () => HTMLElement | null
  /** Scrolls to the message at this index, which is rendered soon after. */
  goTo: (index: number) => void
  /** Index of the first message that is at least partly visible. */
  firstShown: () => number
  /** Index of the message being read; at the end of the list, the last message. */
  readAt: () => number
}

/**
 * The folds that the reader has opened in a chat, by position. Messages scrolled far away are removed from the page and rendered again, so
 * they can't keep this state. Undefined if all messages stay in the page.
 */
export const OpenFolds = createContext<Set<string> | undefined>(undefined)
