import { t } from "i18next"
import { CalendarSearch, Table2, Plus, X, FileText } from "lucide-react"
import { useState, type KeyboardEvent, useRef } from "react"
import type { ReadingEstimate, ReadingEstimateRequest } from "../../../../shared/contract/chat.ts"
import type { FileEntry } from "../../../../shared/contract/files.ts"
import { useReadingEstimate } from "../../../data/chats/reading.ts"
import { useMatchingFiles } from "../../../data/folders/files.ts"
import { useModels } from "../../../data/models/models.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { formatRoughTime } from "../../../lib/words/format.ts"
import { ButtonLink, Button } from "../../../ui/controls/Button.tsx"
import { TextField } from "../../../ui/controls/Field.tsx"
import { SearchField } from "../../../ui/controls/SearchField.tsx"
import { Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import { MiddleCut } from "../../../ui/text/LongText.tsx"
import { createEstimateRequest } from "../composer/EstimateNote.tsx"
import { useOwnFolder } from "../composer/attachments/attachments.ts"
import type { Choices } from "../composer/choices/use-choices.ts"
import {
  addColumns,
  maxColumns,
  createFactsQuestion,
  type WholeQuestion,
  createDifferencesQuestion,
  createQuestion,
  templates,
  type TemplateKey,
} from "./question-templates.ts"

/** Says what a template reads and about how long that takes. */
function Takes({ estimate: { files, fits, estimatedSeconds } }: { estimate: ReadingEstimate }) {
  if (files === 0) return null
  const values = { files: t("reading:files", { count: files }), time: formatRoughTime(estimatedSeconds) }
  return (
    <span className={fits ? "block text-xs text-soft" : "block text-xs text-warning"}>
      {t(fits ? "templates:takes" : "templates:takesTooMuch", values)}
    </span>
  )
}

/** Says that templates need a model, and links to the folder tabs that work without one. */
function WithoutModel({ folderId }: { folderId: string | undefined }) {
  return (
    <div className="mt-1 text-sm text-soft">
      <p>
        {t("templates:needsModel")} {folderId !== undefined && t("templates:withoutModel")}
      </p>
      {folderId !== undefined && (
        <p className="mt-2 flex flex-wrap gap-2">
          <ButtonLink href={routes.folderTab(folderId, "overview")}>
            <CalendarSearch aria-hidden /> {t("templates:overview")}
          </ButtonLink>
          <ButtonLink href={routes.folderTab(folderId, "tables")}>
            <Table2 aria-hidden /> {t("templates:tables")}
          </ButtonLink>
        </p>
      )}
    </div>
  )
}

const suggestions = ["date", "amount", "party", "subject", "deadline", "reference"] as const

interface FactsDialogProps {
  onAsk: (question: WholeQuestion) => void
  onClose: () => void
}

/** Chooses the columns of a table of facts. */
function FactsDialog({ onAsk, onClose }: FactsDialogProps) {
  const [rows, setRows] = useState("")
  const [columns, setColumns] = useState<string[]>([])
  const [text, setText] = useState("")
  const all = addColumns(columns, text)
  const offered = suggestions
    .map((key) => t(`templates:column.${key}`))
    .filter((name) => !columns.includes(name))

  function take(typed: string) {
    setColumns(addColumns(columns, typed))
    setText("")
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === "Enter" && text.trim() !== "") take(text)
    else if (event.key === "Backspace" && text === "") setColumns(columns.slice(0, -1))
    else return
    event.preventDefault()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={t("templates:facts.name")}
      description={t("templates:facts.choose")}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onClose()
          onAsk(createFactsQuestion(all, rows.trim()))
        }}
      >
        <TextField
          label={t("templates:facts.rows")}
          placeholder={t("templates:facts.rowsExample")}
          value={rows}
          maxLength={200}
          onChange={(event) => setRows(event.target.value)}
        />
        <div className="flex flex-col gap-2">
          <TextField
            label={t("templates:facts.columns")}
            placeholder={t("templates:facts.columnsExample")}
            hint={t("templates:facts.own")}
            value={text}
            maxLength={200}
            onKeyDown={onKeyDown}
            onChange={({ target: { value } }) => (/[,;]/.test(value) ? take(value) : setText(value))}
          />
          {columns.length > 0 && (
            <ul aria-label={t("templates:facts.columns")} className="flex flex-wrap gap-1.5">
              {columns.map((name) => (
                <li
                  key={name}
                  className="flex h-7 min-w-0 items-center rounded-md bg-tint pl-2 text-sm text-accent"
                >
                  <span className="truncate">{name}</span>
                  <button
                    type="button"
                    aria-label={t("templates:remove", { name })}
                    title={t("templates:remove", { name })}
                    onClick={() => setColumns(columns.filter((column) => column !== name))}
                    className="flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover"
                  >
                    <X className="size-3.5" aria-hidden />
                  </button>
                </li>
              ))}
            </ul>
          )}
          {offered.length > 0 && columns.length < maxColumns && (
            <ul aria-label={t("templates:facts.suggestions")} className="flex flex-wrap gap-1.5">
              {offered.map((name) => (
                <li key={name}>
                  <button
                    type="button"
                    onClick={() => setColumns(addColumns(columns, name))}
                    className="flex h-7 items-center gap-1 rounded-md border border-line px-2 text-sm text-soft hover:bg-hover hover:text-ink"
                  >
                    <Plus className="size-3.5" aria-hidden /> {name}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
        <DialogActions>
          <Button onClick={onClose}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" disabled={all.length === 0}>
            {t("templates:facts.submit")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

interface DifferencesDialogProps {
  chatId: string
  /** The selection to read before two documents are chosen. */
  reading: ReadingEstimateRequest
  onAsk: (question: WholeQuestion) => void
  onClose: () => void
}

/** Chooses the two documents to compare. */
function DifferencesDialog({ chatId, reading, onAsk, onClose }: DifferencesDialogProps) {
  const own = useOwnFolder(chatId)
  const [search, setSearch] = useState("")
  const [chosen, setChosen] = useState<FileEntry[]>([])
  const files = useMatchingFiles(
    [...(own === undefined ? [] : [own]), ...(reading.vector ?? [])],
    useDebounced(search.trim()),
  )
  const list = useRef<HTMLUListElement>(null)
  const isFull = chosen.length === 2
  const estimate = useReadingEstimate(
    isFull ? { ...reading, fileIds: chosen.map(({ id }) => id) } : undefined,
  )

  const toggle = (file: FileEntry) =>
    setChosen((before) =>
      before.some(({ id }) => id === file.id)
        ? before.filter(({ id }) => id !== file.id)
        : [...before, file].slice(0, 2),
    )

  return (
    <Dialog
      open
      onClose={onClose}
      title={t("templates:differences.name")}
      description={t("templates:differences.choose")}
    >
      <ol aria-label={t("templates:differences.chosen")} className="mb-3 grid grid-cols-2 gap-2">
        {["one", "other"].map((place, index) => (
          <li key={place} className="min-w-0">
            <ChosenFile file={chosen[index]} number={index + 1} onRemove={toggle} />
          </li>
        ))}
      </ol>
      <SearchField
        label={t("templates:differences.find")}
        value={search}
        onChange={setSearch}
        onKeyUp={(event) => {
          if (event.key === "ArrowDown") list.current?.querySelector("input")?.focus()
        }}
      />
      <ul ref={list} aria-label={t("templates:differences.files")} className="mt-2 h-56 overflow-y-auto">
        {files?.map((file) => {
          const isChosen = chosen.some(({ id }) => id === file.id)
          return (
            <li key={file.id}>
              <label
                title={file.relativePath.split("/").slice(1).join("/")}
                className="flex h-8 items-center gap-2 rounded-md px-2 text-sm hover:bg-hover has-disabled:text-faint has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent"
              >
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={isFull && !isChosen}
                  onChange={() => toggle(file)}
                  onKeyDown={moveFocus}
                  className="size-4 shrink-0 accent-solid focus-visible:outline-none"
                />
                <span className="min-w-0 flex-1 truncate">
                  <MiddleCut text={file.name} />
                </span>
              </label>
            </li>
          )
        })}
        {files?.length === 0 && <li className="p-3 text-sm text-soft">{t("templates:differences.none")}</li>}
      </ul>
      <output className="mt-2 block min-h-4">{isFull && estimate && <Takes estimate={estimate} />}</output>
      <DialogActions>
        <Button onClick={onClose}>{t("common:cancel")}</Button>
        <Button
          variant="primary"
          disabled={!isFull}
          onClick={() => {
            onClose()
            onAsk(createDifferencesQuestion(chosen))
          }}
        >
          {t("templates:differences.submit")}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface ChosenFileProps {
  file: FileEntry | undefined
  number: number
  onRemove: (file: FileEntry) => void
}

function ChosenFile({ file, number, onRemove }: ChosenFileProps) {
  if (!file)
    return (
      <p className="flex h-9 items-center rounded-md border border-dashed border-line-strong px-2.5 text-sm text-faint">
        {t("templates:differences.document", { number })}
      </p>
    )
  const { name } = file
  return (
    <p className="flex h-9 items-center gap-1.5 rounded-md bg-tint pl-2.5 text-sm text-accent">
      <FileText className="size-4 shrink-0" aria-hidden />
      <span className="min-w-0 flex-1 truncate" title={name}>
        <MiddleCut text={name} />
      </span>
      <button
        type="button"
        aria-label={t("templates:remove", { name })}
        title={t("templates:remove", { name })}
        onClick={() => onRemove(file)}
        className="flex size-8 shrink-0 items-center justify-center rounded-md hover:bg-hover"
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </p>
  )
}

/** The up and down arrows move through the files that can be chosen. */
function moveFocus(event: KeyboardEvent<HTMLInputElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  event.preventDefault()
  const inputs = [...(event.currentTarget.closest("ul")?.querySelectorAll("input") ?? [])]
  const enabled = inputs.filter(({ disabled }) => !disabled)
  enabled[enabled.indexOf(event.currentTarget) + step]?.focus()
}

interface TemplatesProps {
  chatId: string
  choices: Choices
  onAsk: (question: WholeQuestion) => void
}

/** Questions about everything that is selected, asked with one click. */
export function Templates({ chatId, choices, onAsk }: TemplatesProps) {
  const { folderIds } = choices
  const { data: models } = useModels()
  const [opened, setOpened] = useState<"differences" | "facts">()
  const needsModel = models?.chat === null
  const reading = createEstimateRequest(chatId, choices)
  const estimate = useReadingEstimate(models?.chat ? reading : undefined)
  const choose = (key: TemplateKey) =>
    key === "differences" || key === "facts" ? setOpened(key) : onAsk(createQuestion(key))
  const close = () => setOpened(undefined)
  return (
    <section aria-labelledby="templates">
      <h2 id="templates" className="mt-8 text-xs font-medium text-faint">
        {t("templates:title")}
      </h2>
      {needsModel && <WithoutModel folderId={folderIds[0]} />}
      <ul className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(14rem,1fr))] gap-2">
        {templates.map(({ key, icon: Icon }) => (
          <li key={key}>
            <button
              type="button"
              disabled={needsModel}
              onClick={() => choose(key)}
              className="flex h-full w-full items-start gap-2.5 rounded-lg border border-line px-3 py-2.5 text-left transition-colors enabled:hover:border-line-strong enabled:hover:bg-hover disabled:opacity-50"
            >
              <Icon className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
              <span className="min-w-0">
                <span className="block text-sm font-medium">{t(`templates:${key}.name`)}</span>
                <span className="block text-xs text-faint">{t(`templates:${key}.hint`)}</span>
                {estimate && key !== "differences" && <Takes estimate={estimate} />}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {opened === "differences" && (
        <DifferencesDialog chatId={chatId} reading={reading} onAsk={onAsk} onClose={close} />
      )}
      {opened === "facts" && <FactsDialog onAsk={onAsk} onClose={close} />}
    </section>
  )
}
