import { createContext } from "react"

/**
 * What the reader has opened in a conversation, by its place in it: messages that are scrolled far away are taken out
 * of the page and drawn anew. Undefined where everything stays.
 */
export const OpenFolds = createContext<Set<string> | undefined>(undefined)
