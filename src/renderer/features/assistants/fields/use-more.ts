import { useState } from "react"
import { isBoolean, useRemembered } from "../../../lib/remembered.ts"
import type { IssueField } from "../editor/form-issues.ts"

/** A field that was revealed because it has an issue. Each time is a new object. */
export interface Revealed {
  field: IssueField
}

const always = new Set<IssueField>(["name", "instructions", "vectorIds", "builtInTools"])

/** Whether the fields under More are shown: as remembered on this computer, or because one of them was revealed. */
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
