import { useSyncExternalStore } from "react"
import { classNames } from "./class-names.ts"
import { dismissToast, toastStore } from "./toasts.ts"

/** Shows what `showToast` says. */
export function Toaster() {
  const toasts = useSyncExternalStore(toastStore.subscribe, toastStore.get)
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-80 flex-col gap-2"
    >
      {toasts.map((toast) => (
        <button
          key={toast.id}
          type="button"
          onClick={() => dismissToast(toast.id)}
          className={classNames(
            "pointer-events-auto animate-appear rounded-lg bg-raised px-3 py-2.5 text-left text-sm break-words shadow-float",
            toast.kind === "error" ? "text-danger" : "text-ink",
          )}
        >
          {toast.text}
        </button>
      ))}
    </div>
  )
}
