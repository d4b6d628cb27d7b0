import { t } from "i18next"
import { useId, type ReactNode, useEffect, useRef, useState } from "react"
import type { KnownModelOptions } from "../../../../shared/contract/models.ts"
import { useChangeModelOptions, useModelOptions } from "../../../data/models/model-settings.ts"
import { useCatalogue } from "../../../data/models/models.ts"
import { describeError } from "../../../lib/box.ts"
import { useLeaveGuard } from "../../../lib/navigation/leave-guard.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { formatCount } from "../../../lib/words/format.ts"
import { Note } from "../../../ui/Note.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { ConfirmDialog, Dialog, DialogActions } from "../../../ui/layers/Dialog.tsx"
import {
  answerCosts,
  contextCosts,
  deviceCosts,
  thinkingCosts,
  unloadCosts,
  type Known,
  measuredSpeed,
  usesMuchMemory,
} from "./costs.ts"
import { type OptionsForm, toForm, numberFields, toPatch, untouched } from "./options-form.ts"

/** The chat model whose options are edited. */
interface OptionsOf {
  id: string
  name: string
  /** Tokens that the model was trained for, or that fit in its server's context window. */
  contextSize: number | null
  /** Whether an owner decides if the model accepts images, because its server doesn't say. */
  visionIsOpen: boolean
}

interface OptionsFieldsProps {
  model: OptionsOf
  known: Known
  form: OptionsForm
  issues: Record<string, string | undefined>
  onChange: (part: Partial<OptionsForm>) => void
}

/** Minutes to choose from; 0: after each answer. */
const unloadMinutes = ["0", "5", "15", "30", "60", "240"]

/** Every option with its cost, updated as the user types. */
function OptionsFields(props: OptionsFieldsProps) {
  return (
    <>
      {props.known.cost ? <MemoryFields {...props} /> : <ServerFields {...props} />}
      <AnswerFields {...props} />
      <ThinkingFields {...props} />
    </>
  )
}

function MemoryFields({ known, form, issues, onChange }: OptionsFieldsProps) {
  const minutes = form.unloadAfterMinutes
  const offered =
    minutes === "" || unloadMinutes.includes(minutes) ? unloadMinutes : [...unloadMinutes, minutes]
  return (
    <Part title={t("models:options.memory")}>
      <ContextField
        placeholder={t("models:options.contextUsual", { tokens: formatCount(known.cost?.usual ?? 0) })}
        hint={contextCosts(known, form)}
        form={form}
        issues={issues}
        onChange={onChange}
      />
      <SelectField
        label={t("models:options.device")}
        hint={deviceCosts(known)}
        error={issues["device"]}
        value={form.device}
        onChange={({ target }) => onChange({ device: target.value === "cpu" ? "cpu" : "auto" })}
      >
        <option value="auto">{t("models:options.deviceAuto")}</option>
        <option value="cpu">{t("models:options.deviceCpu")}</option>
      </SelectField>
      <SelectField
        label={t("models:options.unload")}
        hint={unloadCosts(known, form)}
        error={issues["unloadAfterMinutes"]}
        value={minutes}
        onChange={({ target }) => onChange({ unloadAfterMinutes: target.value })}
      >
        {offered.map((each) => (
          <option key={each} value={each}>
            {each === "0"
              ? t("models:options.unloadAtOnce")
              : t("models:options.unloadAfter", { count: Number(each) })}
          </option>
        ))}
        <option value="">{t("models:options.unloadNever")}</option>
      </SelectField>
    </Part>
  )
}

function ServerFields({ model, known, form, issues, onChange }: OptionsFieldsProps) {
  const { contextSize, visionIsOpen } = model
  return (
    <Part title={t("models:options.server")}>
      <ContextField
        placeholder={
          contextSize === null
            ? t("models:options.contextUntold")
            : t("models:options.contextTold", { tokens: formatCount(contextSize) })
        }
        hint={contextCosts(known, form)}
        form={form}
        issues={issues}
        onChange={onChange}
      />
      {visionIsOpen && (
        <SelectField
          label={t("models:options.vision")}
          hint={t("models:options.visionHint")}
          error={issues["vision"]}
          value={form.vision}
          onChange={({ target }) => onChange({ vision: detectVision(target.value) })}
        >
          <option value="">{t("models:options.visionOpen")}</option>
          <option value="yes">{t("models:options.visionYes")}</option>
          <option value="no">{t("models:options.visionNo")}</option>
        </SelectField>
      )}
    </Part>
  )
}

function AnswerFields({ known, form, issues, onChange }: OptionsFieldsProps) {
  const samplings = ["temperature", "topP", "minP"] as const
  return (
    <Part title={t("models:options.answers")}>
      <TextField
        label={t("models:options.maxTokens")}
        hint={answerCosts(known, form)}
        error={issues["maxTokens"]}
        value={form.maxTokens}
        placeholder={t("models:options.unbounded")}
        inputMode="numeric"
        maxLength={20}
        onChange={({ target }) => onChange({ maxTokens: target.value })}
      />
      {samplings.map((field) => (
        <TextField
          key={field}
          label={t(`models:options.${field}`)}
          hint={t(`models:options.${field}Hint`)}
          error={issues[field]}
          value={form[field]}
          placeholder={t("models:options.own")}
          inputMode="decimal"
          maxLength={20}
          onChange={({ target }) => onChange({ [field]: target.value })}
        />
      ))}
    </Part>
  )
}

function ThinkingFields({ known, form, issues, onChange }: OptionsFieldsProps) {
  return (
    <Part title={t("models:options.thinkingTitle")}>
      <SelectField
        label={t("models:options.thinking")}
        hint={t("models:options.thinkingHint")}
        error={issues["thinking"]}
        value={form.thinking}
        onChange={({ target }) => onChange({ thinking: target.value === "off" ? "off" : "auto" })}
      >
        <option value="auto">{t("models:options.thinkingAuto")}</option>
        <option value="off">{t("models:options.thinkingOff")}</option>
      </SelectField>
      <TextField
        label={t("models:options.thinkingTokens")}
        hint={thinkingCosts(known, form)}
        error={issues["thinkingTokens"]}
        value={form.thinkingTokens}
        placeholder={t("models:options.unbounded")}
        inputMode="numeric"
        maxLength={20}
        disabled={form.thinking === "off"}
        onChange={({ target }) => onChange({ thinkingTokens: target.value })}
      />
    </Part>
  )
}

interface ContextFieldProps extends Pick<OptionsFieldsProps, "form" | "issues" | "onChange"> {
  placeholder: string
  hint: string
}

const ContextField = ({ placeholder, hint, form, issues, onChange }: ContextFieldProps) => (
  <div className="sm:col-span-2">
    <TextField
      label={t("models:options.context")}
      hint={hint}
      error={issues["contextSize"]}
      value={form.contextSize}
      placeholder={placeholder}
      inputMode="numeric"
      maxLength={20}
      onChange={({ target }) => onChange({ contextSize: target.value })}
    />
  </div>
)

/** A group of related fields, in two columns if there is room. */
function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-2 text-xs font-medium text-faint">
        {title}
      </h3>
      <div className="grid items-start gap-x-4 gap-y-4 sm:grid-cols-2">{children}</div>
    </section>
  )
}

const detectVision = (value: string): OptionsForm["vision"] =>
  value === "yes" || value === "no" ? value : ""

interface OptionsDialogProps {
  model: OptionsOf
  onClose: () => void
}

/** A chat model's default options, and what they cost on this computer. */
export function OptionsDialog({ model, onClose }: OptionsDialogProps) {
  const { data, error } = useModelOptions(model.id)
  if (data) return <LoadedDialog model={model} known={data} onClose={onClose} />
  if (!error) return null
  return (
    <Dialog open onClose={onClose} title={t("models:options.title", { name: model.name })}>
      <Note kind="error">{describeError(error)}</Note>
      <DialogActions>
        <Button onClick={onClose}>{t("common:close")}</Button>
      </DialogActions>
    </Dialog>
  )
}

function LoadedDialog({ model, known: read, onClose }: OptionsDialogProps & { known: KnownModelOptions }) {
  // Options that load again while the user types change the baseline, never the user's input.
  const before = toForm(read.options)
  const [edits, setEdits] = useState<Partial<OptionsForm>>({})
  const [asking, setAsking] = useState(false)
  const [wrong, setWrong] = useState<string[]>([])
  const { data: catalogue } = useCatalogue()
  const change = useChangeModelOptions(model.id)
  const form = { ...before, ...edits }
  const isDirty = Object.keys(toPatch(before, form).patch).length > 0
  const guard = useLeaveGuard(() => isDirty)
  const known = { ...read, gpu: catalogue?.computer.gpu ?? null }
  const issues: Record<string, string | undefined> = {
    ...getIssues(change.error, [...numberFields, "thinking", "device", "vision"]),
    ...Object.fromEntries(wrong.map((field) => [field, t("models:options.notANumber")])),
  }
  const fields = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (change.error !== null || wrong.length > 0)
      fields.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [change.error, wrong])
  const own = untouched(read.cost !== null)
  const isOwn = Object.keys(toPatch(own, form).patch).length === 0
  const close = () => (isDirty ? setAsking(true) : onClose())

  function edit(part: Partial<OptionsForm>) {
    setEdits({ ...edits, ...part })
    setWrong([])
    if (change.isError) change.reset()
  }

  function save() {
    const next = toPatch(before, form)
    setWrong(next.wrong)
    if (next.wrong.length > 0) return
    if (isDirty) change.mutate(next.patch, { onSuccess: onClose })
    else onClose()
  }

  return (
    <Dialog
      open
      wide
      onClose={close}
      title={t("models:options.title", { name: model.name })}
      description={measuredSpeed(known)}
    >
      <form
        ref={fields}
        className="flex flex-col gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <OptionsFields model={model} known={known} form={form} issues={issues} onChange={edit} />
        {usesMuchMemory(known, form) && <Note kind="warning">{t("models:options.takesMuch")}</Note>}
        {issues["other"] !== undefined && <Note kind="error">{issues["other"]}</Note>}
        <DialogActions>
          <Button variant="quiet" className="mr-auto" disabled={isOwn} onClick={() => edit(own)}>
            {t("models:options.reset")}
          </Button>
          <Button onClick={close}>{t("common:cancel")}</Button>
          <Button type="submit" variant="primary" busy={change.isPending} disabled={!isDirty}>
            {t("models:options.save")}
          </Button>
        </DialogActions>
      </form>
      <ConfirmDialog
        open={asking || guard.asked}
        onClose={() => {
          setAsking(false)
          guard.stay()
        }}
        onConfirm={guard.asked ? guard.leave : onClose}
        title={t("models:options.discardTitle")}
        description={t("models:options.discardHint", { name: model.name })}
        confirmLabel={t("models:options.discard")}
      />
    </Dialog>
  )
}
