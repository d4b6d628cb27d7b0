import { useId, type ReactNode } from "react"

/** One of the two first-run steps. */
export function StepCard({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="rounded-xl border border-line p-4">
      <h2 id={id} className="mb-1 font-medium">
        {title}
      </h2>
      {children}
    </section>
  )
}
