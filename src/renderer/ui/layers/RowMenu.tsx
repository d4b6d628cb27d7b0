import { Ellipsis } from "lucide-react"
import { useState, type ComponentProps, type ReactNode } from "react"
import { classNames } from "../class-names.ts"
import type { MenuTrigger } from "./Menu.tsx"

interface RowMenuProps {
  /** The button's accessible name. */
  label: string
  className?: string
  /** The menu around its button, to be open at once. */
  renderMenu: (trigger: MenuTrigger) => ReactNode
}

/** A row's menu, made when it is first wanted: rows come and go by the hundred while a long list scrolls. */
export function RowMenu({ label, className, renderMenu }: RowMenuProps) {
  const [wanted, setWanted] = useState(false)
  const button: ComponentProps<"button"> = {
    type: "button",
    title: label,
    "aria-label": label,
    className: classNames(
      "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink data-[state=open]:bg-selected",
      className,
    ),
    children: <Ellipsis className="size-4" aria-hidden />,
  }
  if (wanted) return renderMenu(<button {...button} />)
  return <button {...button} aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
}
