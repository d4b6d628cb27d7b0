import { t } from "i18next"
import { Suspense } from "react"
import { Link } from "wouter"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { later } from "../../../lib/later.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { LazyMarkdown } from "../../../ui/markdown/LazyMarkdown.tsx"
import { Note } from "../../../ui/Note.tsx"
import type { Section } from "../parts/arrange-parts.ts"

const ChartFigure = later(async () => (await import("../parts/charts/ChartFigure.tsx")).ChartFigure)
const WidgetFigure = later(async () => (await import("../parts/WidgetFigure.tsx")).WidgetFigure)

const ProducedFiles = later(async () => (await import("../parts/ProducedFiles.tsx")).ProducedFiles)
const StepGroup = later(async () => (await import("../parts/calls/StepGroup.tsx")).StepGroup)
const WithoutReading = later(async () => (await import("./WithoutReading.tsx")).WithoutReading)

interface AnswerSectionProps {
  section: Section
  growing: boolean
  chatId: string
  messageId: string
  /** Its position in the chat. */
  place: string
}

/** One section of an answer, rendered by type. */
export function AnswerSection({ section, ...rest }: AnswerSectionProps) {
  const { growing, chatId } = rest
  switch (section.type) {
    case "text":
      return <LazyMarkdown text={section.text} growing={growing} />
    case "notice":
      return (
        <>
          <Note
            kind={section.code === "no_embedding_model" ? "quiet" : "info"}
            action={<ModelLink code={section.code} />}
          >
            {toPageLanguage(section.message, section.sentence)}
          </Note>
          {section.code === "not_read_whole" && (
            <Suspense>
              <WithoutReading chatId={chatId} />
            </Suspense>
          )}
        </>
      )
    case "error":
      return (
        <Note kind="error" action={<ModelLink code={section.code} />}>
          {toPageLanguage(section.error, section.sentence)}
        </Note>
      )
    case "steps":
      return (
        <Suspense>
          <StepGroup steps={section.steps} {...rest} />
        </Suspense>
      )
    case "widget":
      return (
        <Suspense>
          <WidgetFigure title={section.title} html={section.html} />
        </Suspense>
      )
    case "chart":
      return (
        <Suspense>
          <ChartFigure chart={section.chart} />
        </Suspense>
      )
    case "files":
      return (
        <Suspense>
          <ProducedFiles files={section.files} chatId={chatId} />
        </Suspense>
      )
  }
}

/** A link to the page where a missing model can be set up. */
function ModelLink({ code }: { code: string }) {
  if (code !== "no_model") return null
  return (
    <Link href={routes.models} className="shrink-0 rounded font-medium text-accent hover:underline">
      {t("chat:models")}
    </Link>
  )
}
