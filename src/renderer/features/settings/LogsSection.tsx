import { useQuery } from "@tanstack/react-query"
import { t } from "i18next"
import { Copy, Download } from "lucide-react"
import { useLayoutEffect, useRef, useState } from "react"
import { LogLevel, type LogLine } from "../../../shared/contract/logs.ts"
import { box, describeError } from "../../lib/box.ts"
import { copyText } from "../../lib/browser/clipboard.ts"
import { saveFile } from "../../lib/browser/download.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { classNames } from "../../ui/class-names.ts"
import { LogEntry, LogList } from "../../ui/text/LogList.tsx"
import { LongText } from "../../ui/text/LongText.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { Switch } from "../../ui/controls/Toggles.tsx"
import { showToast } from "../../lib/toasts.ts"

const followMs = 2_000
const shownLines = 300

const colours: Record<LogLevel, string> = {
  debug: "text-faint",
  info: "text-soft",
  warn: "text-warning",
  error: "text-danger",
}

const formatLines = (lines: LogLine[]) =>
  lines
    .map(({ time, level, message, details }) => [time, level, message, details].filter(Boolean).join(" "))
    .join("\n")

/** The end of the box's log, without secrets. */
export function LogsSection() {
  const [level, setLevel] = useState<LogLevel>("info")
  const [follow, setFollow] = useState(true)
  const { data: lines, error } = useQuery({
    queryKey: ["logs", level],
    queryFn: async ({ signal }) =>
      (await box.logs.read({ query: { level, limit: shownLines } }, { signal })).lines,
    staleTime: 0,
    refetchInterval: follow ? followMs : false,
  })
  const text = formatLines(lines ?? [])
  return (
    <SettingsGroup title={t("settings:logs.title")} description={t("settings:logs.description")}>
      <div className="mb-3 flex flex-wrap items-center gap-3 text-sm">
        <select
          aria-label={t("settings:logs.level")}
          value={level}
          onChange={(event) => setLevel(LogLevel.parse(event.target.value))}
          className="h-8 rounded-md border border-line-strong bg-field px-2 hover:border-faint"
        >
          {LogLevel.options.map((option) => (
            <option key={option} value={option}>
              {t(`settings:logs.levels.${option}`)}
            </option>
          ))}
        </select>
        <span className="flex items-center gap-2">
          <Switch id="follow-log" checked={follow} onCheckedChange={setFollow} />
          <label htmlFor="follow-log">{t("settings:logs.follow")}</label>
        </span>
        <span className="ml-auto flex gap-2">
          <Button
            disabled={text === ""}
            onClick={() => void copyText(text).then(() => showToast(t("common:copied")))}
          >
            <Copy aria-hidden /> {t("settings:copy")}
          </Button>
          <Button disabled={text === ""} onClick={() => saveFile("casella-log.txt", text, "text/plain")}>
            <Download aria-hidden /> {t("settings:logs.save")}
          </Button>
        </span>
      </div>
      {error && <Note kind="error">{describeError(error)}</Note>}
      {lines && <Lines lines={lines} follow={follow} />}
    </SettingsGroup>
  )
}

function Lines({ lines, follow }: { lines: LogLine[]; follow: boolean }) {
  const list = useRef<HTMLUListElement>(null)
  useLayoutEffect(() => {
    if (follow && lines.length > 0) list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [lines, follow])
  if (lines.length === 0) return <Note>{t("settings:logs.none")}</Note>
  return (
    <LogList
      ref={list}
      label={t("settings:logs.title")}
      className="h-[28rem] max-h-[60vh] rounded-lg border border-line py-2"
    >
      {lines.map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines differ only in their position
        <LogEntry key={index} time={line.time}>
          <span className={classNames("w-10 shrink-0", colours[line.level])}>{line.level}</span>
          <span className="min-w-0 break-words whitespace-pre-wrap text-ink">
            <LongText text={line.message} />{" "}
            <span className="break-all text-faint">
              <LongText text={line.details ?? ""} />
            </span>
          </span>
        </LogEntry>
      ))}
    </LogList>
  )
}
