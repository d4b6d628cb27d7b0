import { t } from "i18next"
import { Suspense, useMemo, type ReactNode } from "react"
import type { FinishReason, Source } from "../../../../shared/contract/chat.ts"
import { citedSources } from "../../../lib/words/cited-sources.ts"
import { describeError } from "../../../lib/box.ts"
import { later } from "../../../lib/later.ts"
import { useOpenDocument } from "../../../lib/navigation/open-document.ts"
import { showToast } from "../../../lib/toasts.ts"
import { CitationContext } from "../../../ui/markdown/citation-context.ts"
import { Note } from "../../../ui/Note.tsx"
import { AnswerActions } from "./AnswerActions.tsx"
import { AnswerSection } from "./AnswerSection.tsx"
import { isLasting } from "./lasting-notices.ts"
import { plainText, type ShownMessage } from "../session/chat-view.ts"
import { arrangeParts, isAtWork, type Section } from "../parts/arrange-parts.ts"
import { CitationKeys } from "./sources/CitationKeys.tsx"
import { ReadingLine } from "./ReadingLine.tsx"
import { SourceList } from "./sources/SourceList.tsx"

const SourcePreview = later(async () => (await import("./sources/SourcePreview.tsx")).SourcePreview)
const SaveActions = later(async () => (await import("../save/SaveActions.tsx")).SaveActions)
const ForkButton = later(async () => (await import("./ForkButton.tsx")).ForkButton)
const ContinueButton = later(async () => (await import("./ContinueButton.tsx")).ContinueButton)
const AskAgain = later(async () => (await import("./AskAgain.tsx")).AskAgain)
const WaitingWords = later(async () => (await import("./WaitingWords.tsx")).WaitingWords)
const CoverageFold = later(async () => (await import("./coverage/CoverageFold.tsx")).CoverageFold)

const LongReading = later(async () => (await import("./LongReading.tsx")).LongReading)

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
        }, showFailure)
      },
    }
  }, [text, sources, question, openDocument])
}

const showFailure = (error: unknown) => showToast(describeError(error), "error")

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
