import { Wrench } from "lucide-react"
import { Link } from "wouter"
import { routes } from "../../lib/routes.ts"
import { LazyMarkdown } from "../../ui/markdown/LazyMarkdown.tsx"
import { Note } from "../../ui/Note.tsx"
import type { Section } from "./chat-view.ts"

/** One stretch of an answer, by its kind. */
export function AnswerSection({ section, growing }: { section: Section; growing: boolean }) {
  switch (section.type) {
    case "text":
      return <LazyMarkdown text={section.text} growing={growing} />
    case "reasoning":
      return (
        <details className="text-sm text-soft">
          <summary className="w-fit rounded select-none hover:text-ink">
            {growing ? "Thinking…" : "What the model considered"}
          </summary>
          <p className="mt-2 border-l-2 border-line pl-3 whitespace-pre-wrap">{section.text}</p>
        </details>
      )
    case "notice":
      return <Note action={<ModelLink code={section.code} />}>{section.message}</Note>
    case "error":
      return (
        <Note kind="error" action={<ModelLink code={section.code} />}>
          {section.error}
        </Note>
      )
    case "tool-call":
      return (
        <p className="flex items-center gap-1.5 text-sm text-faint">
          <Wrench className="size-3.5" aria-hidden /> Used {section.toolName}
        </p>
      )
    case "tool-result":
      return null
  }
}

/** Where a missing model is put right. */
export function ModelLink({ code }: { code: string }) {
  if (code !== "no_model") return null
  return (
    <Link href={routes.models} className="shrink-0 rounded font-medium text-accent hover:underline">
      Models
    </Link>
  )
}
