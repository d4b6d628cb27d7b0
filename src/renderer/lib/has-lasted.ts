import { useEffect, useState } from "react"

/** Whether the component has been on screen for this many milliseconds. */
export function useHasLasted(ms: number): boolean {
  const [lasted, setLasted] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLasted(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return lasted
}
