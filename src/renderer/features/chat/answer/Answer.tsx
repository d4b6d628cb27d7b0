import { t } from "i18next"
import { use, Suspense, useMemo, type ReactNode } from "react"
import { Link } from "wouter"
import type { FinishReason, Source } from "../../../../shared/contract/chat.ts"
import { useShortcuts } from "../../../lib/keys/shortcut.ts"
import { later } from "../../../lib/later.ts"
import { useShownDocument, useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError } from "../../../lib/toasts.ts"
import { citedSources, CitationContext } from "../../../ui/markdown/citations.ts"
import { formatRoughTime } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { ProgressBar, Spinner } from "../../../ui/Progress.tsx"
import { LazyMarkdown } from "../../../ui/markdown/LazyMarkdown.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"
import { type Section, arrangeParts, isAtWork } from "../parts/arrange-parts.ts"
import { isLasting, plainText, type ShownMessage } from "../session/chat-view.ts"
import type { ReadingProgress } from "../session/live-answer.ts"
import { AnswerActions } from "./AnswerActions.tsx"
import { SourceList } from "./sources/SourceList.tsx"

/** While no citation is open, the next-citation key opens the first one, and the previous-citation key the last. */
function CitationKeys({ first, last }: { first: number; last: number }) {
  const { open } = use(CitationContext)
  const { shown } = useShownDocument()
  useShortcuts(shown ? {} : { nextCitation: () => open(first), previousCitation: () => open(last) })
  return null
}

/** Reading progress of the documents. Not announced to screen readers, because it changes with every part. */
export function ReadingLine({ reading }: { reading: ReadingProgress }) {
  const { stage, done, total, secondsLeft, fileName } = reading
  const label = stage === "reading" ? t("chat:reading.parts", { done, total }) : t("chat:reading.combining")
  return (
    <div aria-live="off" className="flex h-6 items-center gap-2 text-sm text-soft tabular-nums">
      <Spinner />
      <span className="shrink-0">{label}</span>
      {secondsLeft !== undefined && (
        <span className="shrink-0 text-faint">
          {t("chat:reading.left", { time: formatRoughTime(secondsLeft) })}
        </span>
      )}
      {(stage === "reading" || total > 1) && (
        <span className="ml-2 max-w-60 min-w-12 flex-1">
          <ProgressBar label={label} percent={(done / Math.max(1, total)) * 100} />
        </span>
      )}
      {fileName !== undefined && (
        <span className="min-w-0 flex-1 truncate text-faint" title={fileName}>
          <MiddleCut text={fileName} />
        </span>
      )}
    </div>
  )
}

const ChartFigure = later(async () => (await import("../parts/charts/ChartFigure.tsx")).ChartFigure)
const WidgetFigure = later(async () => (await import("../parts/WidgetFigure.tsx")).WidgetFigure)

const ProducedFiles = later(async () => (await import("../parts/ProducedFiles.tsx")).ProducedFiles)
const StepGroup = later(async () => (await import("../parts/calls/StepGroup.tsx")).StepGroup)
const WithoutReading = later(async () => (await import("./AnswerFollowUps.tsx")).WithoutReading)

interface AnswerSectionProps {
  section: Section
  growing: boolean
  chatId: string
  messageId: string
  /** Its position in the chat. */
  place: string
}

/** One section of an answer, rendered by type. */
function AnswerSection({ section, ...rest }: AnswerSectionProps) {
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

const SourcePreview = later(async () => (await import("./sources/SourcePreview.tsx")).SourcePreview)
const SaveActions = later(async () => (await import("../save/SaveActions.tsx")).SaveActions)
const ForkButton = later(async () => (await import("./AnswerFollowUps.tsx")).ForkButton)
const ContinueButton = later(async () => (await import("./AnswerFollowUps.tsx")).ContinueButton)
const AskAgain = later(async () => (await import("./AnswerFollowUps.tsx")).AskAgain)
const WaitingWords = later(async () => (await import("./AnswerProgress.tsx")).WaitingWords)
const CoverageFold = later(async () => (await import("./coverage/CoverageFold.tsx")).CoverageFold)

const LongReading = later(async () => (await import("./AnswerProgress.tsx")).LongReading)

function getEnding(reason: FinishReason | undefined): string | undefined {
  if (reason === "aborted") return t("chat:ending.stopped")
  if (reason === "length") return t("chat:ending.length")
  return undefined
}

interface AnswerProps {
  chatId: string
  message: ShownMessage
  /** The question that was asked. */
  question: string | undefined
  /** Codes of the lasting notices that appear for the first time in this answer, separated by spaces. */
  news: string
  /** Whether this is the chat's last message. */
  last: boolean
  versions: ReactNode
  /** Asks the same question again; undefined where that makes no sense. */
  onRetry: (() => void) | undefined
  onExplain: () => void
  /** Sends the given question, which continues an answer that was cut off. */
  onContinue: (question: string) => void
  onStop: () => void
  onPassages: () => void
}

/** An assistant's answer: notices, text with citations, and the cited sources. */
export function Answer(props: AnswerProps) {
  const { chatId, message, question, news, last, versions, onRetry, onExplain, onContinue, ...long } = props
  const { parts, growing, reading, finishReason } = message
  const { sections, sources, coverage, lacksFiles } = useMemo(() => arrangeParts(parts), [parts])
  const text = growing ? "" : plainText(parts)
  const citations = useCitations(text, sources, question)
  const cited = useMemo(() => citedSources(text, sources), [text, sources])
  const ending = getEnding(finishReason)
  const silent = finishReason === "error" && !sections.some((section) => section.type === "error")

  return (
    <CitationContext value={citations}>
      <article aria-label={t("chat:answer")} className="group/answer flex flex-col gap-3">
        {sections.map((section, index) =>
          shouldShow(section, news) ? (
            <AnswerSection
              // Sections are only added at the end, so the index is a stable key.
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
              section={section}
              growing={growing && index === sections.length - 1}
              chatId={chatId}
              messageId={message.key}
              place={`${message.key}/${index}`}
            />
          ) : null,
        )}
        {reading ? (
          <ReadingLine reading={reading} />
        ) : (
          growing &&
          !isAtWork(sections) && (
            <div className="flex items-center gap-2">
              <Thinking />
              {sections.every(({ type }) => type === "notice") && (
                <Suspense>
                  <WaitingWords chatId={chatId} assistantId={message.assistantId} found={sources.length} />
                </Suspense>
              )}
            </div>
          )
        )}
        {reading && (
          <Suspense>
            <LongReading chatId={chatId} isLong={reading.isLong} {...long} />
          </Suspense>
        )}
        {ending !== undefined && <p className="text-sm text-faint">{ending}</p>}
        {ending !== undefined && last && onRetry && text !== "" && (
          <Suspense>
            <ContinueButton onContinue={onContinue} />
          </Suspense>
        )}
        {silent && <Note kind="error">{t("chat:ending.cutOff")}</Note>}
        {cited.length > 0 && <SourceList cited={cited} />}
        {cited[0] && last && !growing && (
          <CitationKeys first={cited[0].citation} last={(cited.at(-1) ?? cited[0]).citation} />
        )}
        {coverage && (
          <Suspense>
            <CoverageFold
              chatId={chatId}
              coverage={coverage}
              sources={sources}
              place={`${message.key}/coverage`}
            />
          </Suspense>
        )}
        {last && onRetry && !growing && lacksFiles && (
          <Suspense>
            <AskAgain chatId={chatId} messageId={message.key} onAsk={onRetry} />
          </Suspense>
        )}
        {!growing && (
          <AnswerActions
            text={text}
            model={message.model}
            usage={message.usage}
            lasting={last}
            failed={last && finishReason === "error"}
            versions={versions}
            more={
              <>
                <SaveActions chatId={chatId} messageId={message.key} text={text} sources={sources} />
                {onRetry && <ForkButton chatId={chatId} messageId={message.key} />}
              </>
            }
            onRetry={onRetry}
            onExplain={sources.length > 0 ? onExplain : undefined}
          />
        )}
      </article>
    </CitationContext>
  )
}

/** Notices about the box itself are the same for every answer, so they are shown only once per chat. */
const shouldShow = (section: Section, news: string): boolean =>
  section.type !== "notice" || !isLasting(section.code) || news.split(" ").includes(section.code)

/** Returns what each `[n]` in the text refers to. */
function useCitations(text: string, sources: Source[], question: string | undefined) {
  const openDocument = useOpenDocument()
  return useMemo(() => {
    const byNumber = new Map(sources.map((source) => [source.citation, source]))
    return {
      label: (number: number) => byNumber.get(number)?.fileName,
      preview: (number: number) => {
        const source = byNumber.get(number)
        return (
          source && (
            <Suspense>
              <SourcePreview source={source} query={question} />
            </Suspense>
          )
        )
      },
      open: (number: number) => {
        void import("./sources/cited-documents.ts").then(({ citedDocuments }) => {
          const document = citedDocuments(text, sources, question).get(number)
          if (document) openDocument(document)
        }, showError)
      },
    }
  }, [text, sources, question, openDocument])
}

function Thinking() {
  return (
    <output className="flex h-6 items-center gap-1" aria-label={t("chat:answering")}>
      {[0, 150, 300].map((delay) => (
        <span
          key={delay}
          className="size-1.5 animate-pulse rounded-full bg-faint"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </output>
  )
}
