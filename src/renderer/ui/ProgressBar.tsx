/** Shows progress from 0 to 100. */
export function ProgressBar({ percent, label }: { percent: number; label: string }) {
  return (
    <progress
      aria-label={label}
      max={100}
      value={Math.min(100, Math.max(0, percent))}
      className="block h-1 w-full appearance-none overflow-hidden rounded-full border-none bg-line [&::-moz-progress-bar]:bg-solid [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-solid [&::-webkit-progress-value]:transition-all"
    />
  )
}
