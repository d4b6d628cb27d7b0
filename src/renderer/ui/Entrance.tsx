import type { ReactNode } from "react"

/** The frame of pages shown before the app, such as sign-in. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="flex h-full items-center justify-center overflow-y-auto bg-sidebar p-6">
      <div className="w-full max-w-sm animate-appear">
        <img src="/casella.svg" alt="" className="mb-5 size-10" />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        <div className="mt-2 flex flex-col gap-3 text-soft">{children}</div>
      </div>
    </main>
  )
}
