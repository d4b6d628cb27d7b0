import { useId, type ReactNode } from "react"

/** Commands of one kind under a heading. */
export function CommandGroup({ name, children }: { name: string; children: ReactNode }) {
  const id = useId()
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- within a listbox, which takes no fieldset
    <div role="group" aria-labelledby={id} className="pb-1 last:pb-0">
      <div id={id} className="px-2.5 pt-2 pb-1 text-xs font-medium text-faint">
        {name}
      </div>
      {children}
    </div>
  )
}
