import { Ellipsis } from "lucide-react"
import { Suspense, useState, type ComponentProps, type ReactNode } from "react"
import { classNames } from "../class-names.ts"
import type { MenuTrigger } from "./Menu.tsx"
import { WaitingButton } from "./WaitingButton.tsx"

interface RowMenuProps {
  /** The button's accessible name. */
  label: string
  className?: string
  /** The menu around its button, to be open at once. It may be fetched. */
  renderMenu: (trigger: MenuTrigger) => ReactNode
}

/** A row's menu, made when it is first wanted: rows come and go by the hundred while a long list scrolls. */
export function RowMenu({ label, className, renderMenu }: RowMenuProps) {
  const [wanted, setWanted] = useState<boolean>()
  const button: ComponentProps<"button"> = {
    type: "button",
    // Drawn anew, it has the focus of the one that was pressed.
    autoFocus: wanted !== undefined,
    title: label,
    "aria-label": label,
    className: classNames(
      "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink data-[state=open]:bg-selected",
      className,
    ),
    children: <Ellipsis className="size-4" aria-hidden />,
  }
  if (wanted === true)
    return (
      <Suspense
        fallback={
          <WaitingButton asked onGiveUp={() => setWanted(false)}>
            <button {...button} />
          </WaitingButton>
        }
      >
        {renderMenu(<button {...button} />)}
      </Suspense>
    )
  return <button {...button} aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
}
