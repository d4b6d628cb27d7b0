import { useState } from "react"

const storageKey = (name: string) => `draft:${name}`

export const readDraft = (name: string): string => sessionStorage.getItem(storageKey(name)) ?? ""

export function writeDraft(name: string, text: string): void {
  if (text === "") sessionStorage.removeItem(storageKey(name))
  else sessionStorage.setItem(storageKey(name), text)
}

/** Moves a draft to another name. */
export function moveDraft(from: string, to: string): void {
  writeDraft(to, readDraft(from))
  writeDraft(from, "")
}

/** Text being typed. It survives a route change and a reload of the tab. */
export function useDraft(name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(name))
  return [
    text,
    (next) => {
      setText(next)
      writeDraft(name, next)
    },
  ]
}
