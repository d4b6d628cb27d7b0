import { Tabs } from "radix-ui"
import { Suspense, useState, type ReactNode } from "react"

interface PersistentTabProps {
  value: string
  isOpen: boolean
  children: ReactNode
}

/** A tab that is rendered when it is first opened and keeps its state while other tabs are open. */
export function PersistentTab({ value, isOpen, children }: PersistentTabProps) {
  const [wasOpen, setWasOpen] = useState(isOpen)
  if (isOpen && !wasOpen) setWasOpen(true)
  return (
    <Tabs.Content
      value={value}
      tabIndex={-1}
      {...(wasOpen && { forceMount: true })}
      className="flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden"
    >
      <Suspense>{children}</Suspense>
    </Tabs.Content>
  )
}
