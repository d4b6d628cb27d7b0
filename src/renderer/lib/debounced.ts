import { useEffect, useState } from "react"

/** Returns the value after it has stopped changing for a moment. */
export function useDebounced<T>(value: T, delayMs = 150): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return settled
}
