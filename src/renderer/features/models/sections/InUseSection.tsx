import { t } from "i18next"
import { SlidersHorizontal } from "lucide-react"
import { useState } from "react"
import { Trans } from "react-i18next"
import { Link } from "wouter"
import {
  type Computer,
  type ModelState,
  roleFor,
  type ConnectedModel,
  type InstalledModel,
  ModelRole,
  type RoleChoice,
} from "../../../../shared/contract/models.ts"
import {
  useCatalogue,
  useRetryGpu,
  useChooseModel,
  useInstalledModels,
  useModels,
} from "../../../data/models/models.ts"
import { useChangeSettings, useSettings } from "../../../data/settings.ts"
import { describeError } from "../../../lib/box.ts"
import { routes } from "../../../lib/navigation/routes.ts"
import { showError, showToast } from "../../../lib/toasts.ts"
import { getIssues } from "../../../lib/words/field-issues.ts"
import { formatCount, formatPercent, formatSize } from "../../../lib/words/format.ts"
import { toPageLanguage } from "../../../lib/words/sentence.ts"
import { Note } from "../../../ui/Note.tsx"
import { ProgressBar, Spinner } from "../../../ui/Progress.tsx"
import { Button } from "../../../ui/controls/Button.tsx"
import { SelectField, TextField } from "../../../ui/controls/Field.tsx"
import { Facts, SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { LeaveQuestion } from "../../../ui/layers/Dialog.tsx"
import { OptionsDialog } from "../options/OptionsDialog.tsx"

/** An active model's state, the hardware it uses, and why. */
function ModelFacts({ model }: { model: ModelState }) {
  const { id, kind, status, progress, contextSize, error, sentence } = model
  const { data: catalogue } = useCatalogue()
  const share = status === "loading" ? progress : undefined
  const computer = catalogue?.computer
  const trial = computer?.gpu ?? null
  const why = whyThere(model, trial)
  return (
    <>
      {error !== undefined && <Note kind="error">{toPageLanguage(error, sentence)}</Note>}
      <Facts
        rows={[
          [t("models:facts.model"), id],
          [
            t("models:facts.state"),
            share === undefined
              ? t(`models:status.${status}`)
              : t("models:facts.loading", { percent: formatPercent(share) }),
          ],
          ...(contextSize > 0
            ? ([[t("models:facts.context"), t("models:facts.held", { count: contextSize })]] as [
                string,
                string,
              ][])
            : []),
          [t("models:facts.runsOn"), kind === "remote" ? t("models:facts.server") : runsOn(model)],
          ...(model.promptThreads !== undefined && model.threads !== undefined
            ? ([[t("models:facts.threadsName"), getThreads(model.threads, model.promptThreads)]] as [
                string,
                string,
              ][])
            : []),
          ...(model.instructionSet === undefined
            ? []
            : ([[t("models:facts.builtFor"), model.instructionSet.replace("_", "-")]] as [string, string][])),
          ...(kind === "local" && computer ? [describeBackends(computer)] : []),
        ]}
      />
      {share !== undefined && (
        <ProgressBar percent={share * 100} label={t("models:facts.loadingModel", { name: id })} />
      )}
      {why !== "" && <p className="text-xs text-faint">{why}</p>}
      {kind === "local" && computer?.addCudaCommand && (
        <p className="text-xs text-faint">
          {t("models:facts.addCuda", { command: computer.addCudaCommand })}
        </p>
      )}
      {kind === "local" && trial === "failed" && <TryGpuAgain />}
    </>
  )
}

function TryGpuAgain() {
  const again = useRetryGpu()
  return (
    <Button
      className="self-start"
      busy={again.isPending}
      onClick={() =>
        again.mutate(undefined, {
          onSuccess: () => showToast(t("models:facts.gpuTriedNext")),
          onError: showError,
        })
      }
    >
      {t("models:facts.tryGpuAgain")}
    </Button>
  )
}

const backendNames = { metal: "Metal", cuda: "CUDA", vulkan: "Vulkan" }

const describeBackends = ({ gpuBackends }: Computer): [string, string] => [
  t("models:facts.backends"),
  gpuBackends.map((backend) => backendNames[backend]).join(", ") || t("models:facts.noBackends"),
]

const runsOn = ({ gpu }: ModelState): string =>
  gpu === undefined ? t("models:facts.processor") : t("models:facts.gpu", { gpu })

const getThreads = (writing: number, reading: number): string =>
  t("models:facts.threads", { writing: formatCount(writing), reading: formatCount(reading) })

function whyThere({ kind, status, gpu, threads }: ModelState, trial: Computer["gpu"]): string {
  if (kind === "remote") return ""
  const isOff = status === "ready" && gpu === undefined
  const reasons = [
    trial === "works" && (isOff ? t("models:facts.gpuOff") : t("models:facts.gpuWorks")),
    trial === "none" && t("models:facts.gpuNone"),
    trial === "failed" && t("models:facts.gpuFailed"),
    gpu === undefined && threads !== undefined && t("models:facts.threadsHint"),
  ]
  return reasons.filter((reason) => reason !== false).join(" ")
}

interface RoleGroupProps {
  modelRole: ModelRole
  state: ModelState | null
  /** Undefined for users who may not choose. */
  usable?: Omit<ModelSelectProps, "modelRole">
}

/** The model of one role: what it is doing, and which model to use. */
function RoleGroup({ modelRole: role, state, usable }: RoleGroupProps) {
  return (
    <SettingsGroup title={t(`models:role.${role}.title`)} description={t(`models:role.${role}.description`)}>
      <div className="flex flex-col gap-3">
        {state ? <ModelFacts model={state} /> : <Missing modelRole={role} />}
        {usable && <ModelSelect modelRole={role} {...usable} />}
      </div>
    </SettingsGroup>
  )
}

function Missing({ modelRole: role }: { modelRole: ModelRole }) {
  return (
    <Note>
      {t(`models:role.${role}.missing`)}{" "}
      <Link href={routes.moreModels} className="rounded text-accent underline underline-offset-2">
        {t("models:more")}
      </Link>
    </Note>
  )
}

interface ModelSelectProps {
  modelRole: ModelRole
  models: InstalledModel[]
  connected: ConnectedModel[]
  choice: RoleChoice
}

function ModelSelect({ modelRole: role, models, connected, choice }: ModelSelectProps) {
  const choose = useChooseModel()
  const usable = models.filter(({ purpose, id }) => roleFor(purpose) === role || id === choice.chosenId)
  // Servers don't report what their models are for, and none of them reranks.
  const byServer = Map.groupBy(role === "rerank" ? [] : connected, ({ server }) => server.id)
  if (usable.length === 0 && byServer.size === 0 && choice.decidedBy === "settings") return null
  const chosen = choose.isPending ? choose.variables.modelId : choice.chosenId
  return (
    <>
      {choice.decidedBy === "start" && <StartNote modelRole={role} pending={choice.pending} />}
      <SelectField
        label={t(`models:role.${role}.use`)}
        value={chosen ?? ""}
        disabled={choose.isPending}
        onChange={({ target }) => choose.mutate({ role, modelId: target.value === "" ? null : target.value })}
        hint={role === "embedding" ? t("models:choice.embeddingHint") : undefined}
        error={choose.error ? describeError(choose.error) : undefined}
      >
        <option value="">{t("models:choice.none")}</option>
        {usable.map(({ id, name, sizeBytes, problem }) => (
          <option key={id} value={id} disabled={problem !== undefined}>
            {problem === undefined
              ? `${name} (${formatSize(sizeBytes)})`
              : t("models:choice.unusable", { name, size: formatSize(sizeBytes) })}
          </option>
        ))}
        {[...byServer].map(([id, all]) => (
          <optgroup key={id} label={all[0]?.server.name ?? ""}>
            {all.map((model) => (
              <option key={model.id} value={model.id}>
                {model.name}
              </option>
            ))}
          </optgroup>
        ))}
      </SelectField>
      {role === "chat" && <ChosenOptions model={[...usable, ...connected].find(({ id }) => id === chosen)} />}
    </>
  )
}

/** Opens the options of the chosen chat model. */
function ChosenOptions({ model }: { model: InstalledModel | ConnectedModel | undefined }) {
  const [open, setOpen] = useState(false)
  if (!model) return null
  const { id, name, contextSize } = model
  const visionIsOpen = model.kind === "server" && model.vision === null
  return (
    <>
      <Button className="self-start" onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden /> {t("models:options.open")}
      </Button>
      {open && (
        <OptionsDialog model={{ id, name, contextSize, visionIsOpen }} onClose={() => setOpen(false)} />
      )}
    </>
  )
}

function StartNote({ modelRole: role, pending }: { modelRole: ModelRole; pending: boolean }) {
  return (
    <Note>
      <Trans
        ns="models"
        i18nKey="choice.started"
        values={{ flag: role === "chat" ? "--model" : `--${role}-model` }}
        components={{ code: <code className="font-mono text-xs" /> }}
      />{" "}
      {pending ? t("models:choice.pending") : t("models:choice.later")}
    </Note>
  )
}

const limitFields = ["characters", "minutes"] as const

/** Limits how much may be read for one answer, and for how long. */
function ReadingLimitGroup() {
  const { data: settings } = useSettings()
  const [typed, setTyped] = useState<Partial<Record<(typeof limitFields)[number], string>>>({})
  const change = useChangeSettings()
  const issues = getIssues(change.error, ["wholeLimit.characters", "wholeLimit.minutes"])
  if (!settings) return null
  const { wholeLimit } = settings
  const getText = (field: (typeof limitFields)[number]) => typed[field] ?? String(wholeLimit[field])
  const isSame = limitFields.every((field) => getText(field).trim() === String(wholeLimit[field]))

  return (
    <SettingsGroup title={t("models:reading.title")} description={t("models:reading.description")}>
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          const characters = Number(getText("characters"))
          const minutes = Number(getText("minutes"))
          change.mutate(
            { wholeLimit: { characters, minutes } },
            {
              onSuccess() {
                setTyped({})
                showToast(t("models:reading.saved"))
              },
            },
          )
        }}
      >
        <div className="grid w-full grid-cols-2 gap-3">
          {limitFields.map((field) => (
            <TextField
              key={field}
              label={t(`models:reading.${field}`)}
              inputMode="numeric"
              value={getText(field)}
              onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
              error={issues[`wholeLimit.${field}`] ?? (field === "characters" ? issues["other"] : undefined)}
            />
          ))}
        </div>
        <Button type="submit" busy={change.isPending} disabled={isSame}>
          {t("models:mirror.save")}
        </Button>
        <LeaveQuestion unsaved={!isSame} />
      </form>
    </SettingsGroup>
  )
}

/** The models in use, one for each role, and the choice of others. */
export function InUseSection() {
  const { data: state, error } = useModels()
  const { data: installed, error: listError } = useInstalledModels()
  if (error) return <Note kind="error">{describeError(error)}</Note>
  if (!state || (!installed && !listError)) return <Spinner label={t("models:loading")} />
  return (
    <>
      {listError && <Note kind="error">{describeError(listError)}</Note>}
      {ModelRole.options.map((role) => (
        <RoleGroup
          key={role}
          modelRole={role}
          state={state[role]}
          {...(installed ? { usable: { ...installed, choice: installed.choice[role] } } : {})}
        />
      ))}
      <ReadingLimitGroup />
    </>
  )
}
