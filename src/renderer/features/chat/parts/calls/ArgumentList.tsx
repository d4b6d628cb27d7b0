import { LongText } from "../../../../ui/text/LongText.tsx"
import { visibleJson, visibleText } from "../../../../lib/words/visible-text.ts"

/** A call's complete arguments for the person who decides, each under its name. Text is shown as plain text, never as markup. */
export function ArgumentList({ args }: { args: unknown }) {
  const entries =
    typeof args === "object" && args !== null && !Array.isArray(args) ? Object.entries(args) : undefined
  if (!entries) return <Value value={args} />
  return (
    <dl className="flex max-h-96 flex-col gap-2 overflow-y-auto">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt className="mb-0.5 font-mono text-xs break-all text-faint">{visibleText(name)}</dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value }: { value: unknown }) {
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it has to scroll by keyboard
      tabIndex={0}
      dir="ltr"
      className="max-h-48 overflow-auto rounded-md border border-line bg-field px-2 py-1 font-mono text-xs break-words whitespace-pre-wrap text-ink focus-visible:-outline-offset-2"
    >
      <LongText text={visibleJson(value)} />
    </pre>
  )
}
