import { createContext, type ReactNode } from "react"

export interface Citations {
  /** The citation's label, such as the document's name; undefined if there is no such citation. */
  label: (number: number) => string | undefined
  /** A preview of the passage, for hovering over the citation. */
  preview: (number: number) => ReactNode
  open: (number: number) => void
}

export const CitationContext = createContext<Citations>({
  label: () => undefined,
  preview: () => undefined,
  open: () => undefined,
})
