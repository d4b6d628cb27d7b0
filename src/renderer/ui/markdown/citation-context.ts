import { createContext, type ReactNode } from "react"

export interface Citations {
  /** What the citation is called, such as the document's name; undefined when there is no such citation. */
  label: (number: number) => string | undefined
  /** The passage at a glance, for who points at the citation. */
  preview: (number: number) => ReactNode
  open: (number: number) => void
}

export const CitationContext = createContext<Citations>({
  label: () => undefined,
  preview: () => undefined,
  open: () => undefined,
})
