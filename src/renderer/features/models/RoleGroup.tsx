import { t } from "i18next"
import { SlidersHorizontal } from "lucide-react"
import { useState } from "react"
import { Trans } from "react-i18next"
import { Link } from "wouter"
import {
  roleFor,
  type ConnectedModel,
  type InstalledModel,
  type ModelRole,
  type RoleChoice,
  type ModelState,
} from "../../../shared/contract/models.ts"
import { useChooseModel } from "../../data/models/models.ts"
import { describeError } from "../../lib/box.ts"
import { routes } from "../../lib/navigation/routes.ts"
import { formatSize } from "../../lib/words/format.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { SelectField } from "../../ui/controls/Field.tsx"
import { Note } from "../../ui/Note.tsx"
import { SettingsGroup } from "../../ui/controls/Sections.tsx"
import { ModelFacts } from "./ModelFacts.tsx"
import { OptionsDialog } from "./options/OptionsDialog.tsx"

interface RoleGroupProps {
  modelRole: ModelRole
  state: ModelState | null
  /** Undefined for users who may not choose. */
  usable?: Omit<ModelSelectProps, "modelRole">
}

/** The model of one role: what it is doing, and which model to use. */
export function RoleGroup({ modelRole: role, state, usable }: RoleGroupProps) {
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
