import { Ellipsis } from "lucide-react"
import { Suspense, useState, type ComponentProps, type ReactNode } from "react"
import { classNames } from "../class-names.ts"
import type { MenuTrigger } from "./Menu.tsx"
import { WaitingButton } from "./WaitingButton.tsx"

interface RowMenuProps {
  /** The button's accessible name. */
  label: string
  className?: string
  /** Renders the menu around its button, initially open. It may load lazily. */
  renderMenu: (trigger: MenuTrigger) => ReactNode
}

/** A row's menu, created on first use, because hundreds of rows are mounted and unmounted while a long list scrolls. */
export function RowMenu({ label, className, renderMenu }: RowMenuProps) {
  const [wanted, setWanted] = useState<boolean>()
  const button: ComponentProps<"button"> = {
    type: "button",
    // When the button is rendered again, it gets back the focus of the pressed button.
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
          <WaitingButton asked onCancel={() => setWanted(false)}>
            <button {...button} />
          </WaitingButton>
        }
      >
        {renderMenu(<button {...button} />)}
      </Suspense>
    )
  return <button {...button} aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
}
