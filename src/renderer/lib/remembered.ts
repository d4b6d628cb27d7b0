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
