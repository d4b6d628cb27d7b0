export const palettePanel =
  "fixed top-[12vh] left-1/2 z-40 w-[min(38rem,calc(100vw-2rem))] -translate-x-1/2 animate-appear overflow-hidden rounded-xl bg-raised shadow-float"

export const paletteField =
  "h-12 w-full border-b border-line px-4 text-[0.9375rem] focus-visible:outline-none"
