import { createContext } from "react"

export interface Citations {
  /** What the citation is called, such as the document's name; undefined when there is no such citation. */
  label: (number: number) => string | undefined
  open: (number: number) => void
}

export const CitationContext = createContext<Citations>({ label: () => undefined, open: () => undefined })
