import { t } from "i18next"
import { X } from "lucide-react"
import { Dialog as Radix, AlertDialog } from "radix-ui"
import { useState, type ReactNode } from "react"
import { classNames } from "../class-names.ts"
import { IconButton, Button } from "../controls/Button.tsx"

export interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  description?: string
  /** Wide enough for images and lists. */
  wide?: boolean
  children: ReactNode
}

/** The window of a `Dialog`. */
export function DialogPanel({ open, onClose, title, description, wide = false, children }: DialogProps) {
  const [opener] = useState(() => document.activeElement)
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          data-modal
          onOpenAutoFocus={focusFirstField}
          onCloseAutoFocus={(event) => {
            // If the opener is gone, such as a menu entry, `lib/keys/keep-focus.ts` moves the focus.
            if (!(opener instanceof HTMLElement) || !opener.isConnected || opener === document.body) return
            event.preventDefault()
            opener.focus()
          }}
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          className={classNames(
            wide ? "w-[min(44rem,calc(100vw-2rem))]" : "w-[min(30rem,calc(100vw-2rem))]",
            "fixed top-1/2 left-1/2 z-40 flex max-h-[92vh] -translate-x-1/2 -translate-y-1/2 animate-appear scroll-pb-20 flex-col overflow-y-auto rounded-xl bg-raised p-5 shadow-float focus-visible:outline-none",
          )}
        >
          <div className="mb-4 flex items-start gap-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-1 text-sm text-soft">{description}</Radix.Description>
              )}
            </div>
            <IconButton label={t("common:close")} onClick={onClose} className="-mt-1 -mr-1">
              <X aria-hidden />
            </IconButton>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Focuses the first field, the element that a dialog without fields marks, or the dialog itself, but never the close button. */
function focusFirstField(event: Event): void {
  const panel = event.currentTarget as HTMLElement
  const field = panel.querySelector<HTMLElement>("input, textarea, select, [data-focus-first]")
  event.preventDefault()
  ;(field ?? panel).focus()
}

export interface ConfirmDialogProps {
  open: boolean
  onClose: () => void
  onConfirm: () => void
  title: string
  /** Describes in one sentence what will happen. */
  description: string
  confirmLabel: string
}

/** The window of a `ConfirmDialog`. */
export function ConfirmPanel(props: ConfirmDialogProps) {
  const { open, onClose, onConfirm, title, description, confirmLabel } = props
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <AlertDialog.Content
          data-modal
          className="fixed top-1/2 left-1/2 z-40 w-[min(26rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 animate-appear rounded-xl bg-raised p-5 shadow-float"
        >
          <AlertDialog.Title className="text-lg font-semibold break-words">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1.5 text-sm text-soft">
            {description}
          </AlertDialog.Description>
          <div className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{t("common:cancel")}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button variant="danger" onClick={onConfirm}>
                {confirmLabel}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
