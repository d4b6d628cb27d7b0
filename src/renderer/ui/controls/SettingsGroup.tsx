import { createContext, use, type ReactNode } from "react"

/** The section's heading, which a group with the same title doesn't repeat. */
export const SectionTitle = createContext("")

interface SettingsGroupProps {
  title: string
  description?: string
  action?: ReactNode
  children: ReactNode
}

/** A titled group of settings. */
export function SettingsGroup({ title, description, action, children }: SettingsGroupProps) {
  const repeats = use(SectionTitle) === title
  return (
    <section className="mb-8">
      <div className="mb-3 flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-[1_1_18rem]">
          {!repeats && <h2 className="font-medium">{title}</h2>}
          {description !== undefined && <p className="mt-0.5 text-sm text-soft">{description}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** Names and values in rows, separated by thin lines. */
export function Facts({ rows }: { rows: [name: string, value: ReactNode][] }) {
  return (
    <dl className="divide-y divide-line rounded-lg border border-line">
      {rows.map(([name, value]) => (
        <div key={name} className="flex min-h-10 items-center justify-between gap-6 px-3 py-2 text-sm">
          <dt className="shrink-0 text-soft">{name}</dt>
          <dd className="min-w-0 text-right break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
