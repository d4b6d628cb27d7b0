import { useState } from "react"
import { isBoolean, useRemembered } from "../../../lib/remembered.ts"
import type { IssueField } from "../editor/form-issues.ts"

/** A field that somebody was led to because it has an issue; each time is another one. */
export interface Revealed {
  field: IssueField
}

const always = new Set<IssueField>(["name", "instructions", "vectorIds", "builtInTools"])

/** Whether the fields under More are shown: as this computer remembers it, and from when one of them is led to. */
export function useMore(revealed: Revealed | undefined): { open: boolean; onToggle: () => void } {
  const [wanted, setWanted] = useRemembered("assistant-more", false, isBoolean)
  const [open, setOpen] = useState(wanted)
  const [followed, setFollowed] = useState(revealed)
  if (revealed !== followed) {
    setFollowed(revealed)
    if (revealed !== undefined && !always.has(revealed.field)) setOpen(true)
  }
  return {
    open,
    onToggle() {
      setOpen(!open)
      setWanted(!open)
    },
  }
}
