import { useState } from "react"

/** A state of the page that outlives it, on this computer. What was stored and isn't of use any more is forgotten. */
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
