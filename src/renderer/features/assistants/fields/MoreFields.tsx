import { t } from "i18next"
import { useState } from "react"
import { PermissionMode } from "../../../../shared/contract/assistants.ts"
import { Visibility } from "../../../../shared/contract/folders.ts"
import { parseServerModelId } from "../../../../shared/contract/server-model-id.ts"
import { useAnsweringModels, useInstalledModels } from "../../../data/models/models.ts"
import { isBoolean, useRemembered } from "../../../lib/remembered.ts"
import { Note } from "../../../ui/Note.tsx"
import { SelectField } from "../../../ui/controls/Field.tsx"
import { SettingsGroup, Disclosure } from "../../../ui/controls/Sections.tsx"
import { Switch } from "../../../ui/controls/Toggles.tsx"
import type { IssueField, AssistantForm } from "../editor/form.ts"
import { type FieldsProps, FormField, Issue, RadioRows } from "./FormField.tsx"
import { IdentityFields, type IdentityFieldsProps } from "./IdentityFields.tsx"
import { SuggestionFields } from "./SuggestionFields.tsx"

/** A field that was revealed because it has an issue. Each time is a new object. */
export interface Revealed {
  field: IssueField
}

const alwaysShown = new Set<IssueField>(["name", "instructions", "vectorIds", "builtInTools"])

/** Whether the fields under More are shown: as remembered on this computer, or because one of them was revealed. */
export function useMore(revealed: Revealed | undefined): { open: boolean; onToggle: () => void } {
  const [wanted, setWanted] = useRemembered("assistant-more", false, isBoolean)
  const [open, setOpen] = useState(wanted)
  const [followed, setFollowed] = useState(revealed)
  if (revealed !== followed) {
    setFollowed(revealed)
    if (revealed !== undefined && !alwaysShown.has(revealed.field)) setOpen(true)
  }
  return {
    open,
    onToggle() {
      setOpen(!open)
      setWanted(!open)
    },
  }
}

/** Selects the model for the assistant from all chat models. */
function ModelField({ form, issues, onChange }: FieldsProps) {
  const { data: models } = useAnsweringModels(true)
  const { data: installed } = useInstalledModels()
  const { modelId } = form
  // A script may have specified a file by its ID, but the list contains its name.
  const file = installed?.models.find(({ id }) => id === modelId)
  const selected = models?.find(({ id }) => id === modelId || id === file?.name)
  const isMissing = modelId !== null && models !== undefined && !selected
  const name = modelId === null ? "" : (parseServerModelId(modelId)?.name ?? modelId)
  const byServer = Map.groupBy(models ?? [], ({ server }) => server)
  return (
    <SettingsGroup title={t("assistants:model.title")} description={t("assistants:model.text")}>
      <FormField of="modelId">
        <SelectField
          label={t("assistants:model.label")}
          value={selected?.id ?? modelId ?? ""}
          hint={
            typeof selected?.server === "string"
              ? t("assistants:model.elsewhere", { server: selected.server })
              : undefined
          }
          error={issues.modelId}
          onChange={({ target }) => onChange({ modelId: target.value === "" ? null : target.value })}
        >
          <option value="">{t("assistants:model.usual")}</option>
          {modelId !== null && !selected && (
            <option value={modelId}>{isMissing ? t("assistants:model.goneOption", { name }) : name}</option>
          )}
          {[...byServer].map(([server, all]) => (
            <optgroup key={server ?? ""} label={server ?? t("assistants:model.here")}>
              {all.map((model) => (
                <option key={model.id} value={model.id}>
                  {model.name}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
        {isMissing && (
          <div className="mt-2">
            <Note kind="warning">{t("assistants:model.gone", { name })}</Note>
          </div>
        )}
      </FormField>
    </SettingsGroup>
  )
}

/** Selects what the assistant's tools may do without approval. */
function PermissionField({ form, issues, onChange }: FieldsProps) {
  return (
    <SettingsGroup title={t("assistants:permission.title")} description={t("assistants:permission.text")}>
      <FormField of="permissionMode">
        <RadioRows
          label={t("assistants:permission.title")}
          options={PermissionMode.options.map((value) => ({
            value,
            name: t(`assistants:permission.${value}.name`),
            text: t(`assistants:permission.${value}.text`),
          }))}
          value={form.permissionMode}
          onChange={(permissionMode) => onChange({ permissionMode })}
        />
        {form.permissionMode === "bypass" && (
          <div className="mt-2">
            <Note kind="warning">{t("assistants:permission.warning")}</Note>
          </div>
        )}
        <Issue text={issues.permissionMode} />
      </FormField>
    </SettingsGroup>
  )
}

/** The people who may chat with the assistant, besides its owner. */
function VisibilityField({ form, issues, onChange }: FieldsProps) {
  return (
    <SettingsGroup title={t("assistants:visibility.title")} description={t("assistants:visibility.text")}>
      <FormField of="visibility">
        <RadioRows
          label={t("assistants:visibility.title")}
          options={Visibility.options.map((value) => ({
            value,
            name: t(`folders:visibility.${value}`),
            text: t(`assistants:visibility.${value}`),
          }))}
          value={form.visibility}
          onChange={(visibility) => onChange({ visibility })}
        />
        {form.visibility !== "PRIVATE" && form.vectorIds.length > 0 && (
          <div className="mt-2">
            <Note kind="warning">{t("assistants:visibility.folders", { count: form.vectorIds.length })}</Note>
          </div>
        )}
        <Issue text={issues.visibility} />
      </FormField>
    </SettingsGroup>
  )
}

interface MoreFieldsProps extends IdentityFieldsProps {
  open: boolean
  onToggle: () => void
}

/** Fields with sensible defaults. When collapsed, a line shows who may use the assistant and when it asks for approval. */
export function MoreFields({ open, onToggle, ...props }: MoreFieldsProps) {
  const { form, issues, onChange } = props
  return (
    <section aria-label={t("assistants:more.title")} className="border-t border-line pt-3 pb-6">
      <Disclosure
        heading
        title={t("assistants:more.title")}
        summary={getSummary(form)}
        open={open}
        onToggle={onToggle}
      >
        <div className="pt-3">
          <IdentityFields {...props} />
          <ModelField form={form} issues={issues} onChange={onChange} />
          <SettingsGroup
            title={t("assistants:suggestions.title")}
            description={t("assistants:suggestions.text")}
          >
            <FormField of="suggestions">
              <SuggestionFields
                rows={form.suggestions}
                onChange={(suggestions) => onChange({ suggestions })}
              />
              <Issue text={issues.suggestions} />
            </FormField>
          </SettingsGroup>
          <PermissionField form={form} issues={issues} onChange={onChange} />
          <VisibilityField form={form} issues={issues} onChange={onChange} />
          <SettingsGroup
            title={t("assistants:enabled.title")}
            description={t("assistants:enabled.text")}
            action={
              <Switch
                aria-label={t("assistants:enabled.title")}
                checked={form.enabled}
                onCheckedChange={(enabled) => onChange({ enabled })}
              />
            }
          >
            {null}
          </SettingsGroup>
        </div>
      </Disclosure>
    </section>
  )
}

const getSummary = ({ handle, visibility, permissionMode, enabled }: AssistantForm): string =>
  [
    ...(handle === "" ? [] : [`@${handle}`]),
    t(`folders:visibility.${visibility}`),
    t(`assistants:more.asks.${permissionMode}`),
    ...(enabled ? [] : [t("assistants:off")]),
  ].join(" · ")
