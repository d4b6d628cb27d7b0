import { useState } from "react"

/** Page state that is stored on this computer and survives a reload. Stored values that are no longer valid are ignored. */
export function useRemembered<T>(
  key: string,
  initial: T,
  isValid: (value: unknown) => value is T,
): [T, (value: T) => void] {
  const [value, setValue] = useState(() => {
    const stored = parse(localStorage.getItem(key))
    return isValid(stored) ? stored : initial
  })
  return [
    value,
    (next) => {
      setValue(next)
      localStorage.setItem(key, JSON.stringify(next))
    },
  ]
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null")
  } catch {
    return null // written by an earlier version
  }
}

export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean"

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
