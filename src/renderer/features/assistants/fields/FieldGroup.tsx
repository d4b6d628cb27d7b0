import type { ReactNode } from "react"

interface FieldGroupProps {
  title: string
  text: string
  children: ReactNode
}

/** A titled section of the form, compact enough that others fit on the same screen. */
export function FieldGroup({ title, text, children }: FieldGroupProps) {
  return (
    <section className="mb-6">
      <div className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
        <h2 className="text-sm font-medium">{title}</h2>
        <p className="text-xs text-faint">{text}</p>
      </div>
      {children}
    </section>
  )
}
