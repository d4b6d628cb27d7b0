/** Keys to press together. */
export function Keys({ keys }: { keys: string[] }) {
  return (
    <span className="inline-flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-well px-1 font-sans text-xs text-soft"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}
