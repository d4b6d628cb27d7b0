import { createContext } from "react"

/**
 * The folds that the reader has opened in a chat, by position. Messages scrolled far away are removed from the page and rendered again, so
 * they can't keep this state. Undefined if all messages stay in the page.
 */
export const OpenFolds = createContext<Set<string> | undefined>(undefined)
