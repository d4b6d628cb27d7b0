import { t } from "i18next"
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
      return <Reasoning text={section.text} growing={growing} />
    case "notice":
      return <Note action={<ModelLink code={section.code} />}>{section.message}</Note>
    case "error":
      return (
        <Note kind="error" action={<ModelLink code={section.code} />}>
          {section.error}
        </Note>
      )
    case "tool-call":
      return <ToolCall name={section.toolName} />
    case "tool-result":
    case "widget":
    case "chart":
    case "file":
      return null
  }
}

function Reasoning({ text, growing }: { text: string; growing: boolean }) {
  return (
    <details className="text-sm text-soft">
      <summary className="w-fit rounded select-none hover:text-ink">
        {growing ? t("chat:thinking") : t("chat:considered")}
      </summary>
      <p className="mt-2 border-l-2 border-line pl-3 whitespace-pre-wrap">{text}</p>
    </details>
  )
}

function ToolCall({ name }: { name: string }) {
  return (
    <p className="flex items-center gap-1.5 text-sm text-faint">
      <Wrench className="size-3.5" aria-hidden /> {t("chat:usedTool", { name })}
    </p>
  )
}

/** Where a missing model is put right. */
function ModelLink({ code }: { code: string }) {
  if (code !== "no_model") return null
  return (
    <Link href={routes.models} className="shrink-0 rounded font-medium text-accent hover:underline">
      {t("chat:models")}
    </Link>
  )
}
