import { LongText } from "../text/LongText.tsx"
import { CodeBlock } from "./CodeBlock.tsx"

const opening = /^ {0,3}(?:`{3,}|~{3,})[ \t]*(?<language>[\w+#-]{0,40})[^\n]*(?:\n|$)/
const closing = /\n {0,3}(?:`{3,}|~{3,})\s*$/

/** Fenced code of any length, without colours, rendered step by step. */
export function LongCode({ text }: { text: string }) {
  const language = opening.exec(text)?.groups?.["language"]
  const end = closing.exec(text.slice(-maxEndLength))
  const code = text
    .slice(0, end ? text.length - maxEndLength + end.index + 1 : undefined)
    .replace(opening, "")
  return (
    <CodeBlock language={language === "" ? undefined : language}>
      <code>
        <LongText text={code} />
      </code>
    </CodeBlock>
  )
}

/** Number of characters at the end in which the closing fence is searched. */
const maxEndLength = 200
