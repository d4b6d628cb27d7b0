import { t } from "i18next"
import { parseServerModelId } from "../../../../shared/contract/server-model-id.ts"
import { useAnsweringModels, useInstalledModels } from "../../../data/models/models.ts"
import { SelectField } from "../../../ui/controls/Field.tsx"
import { SettingsGroup } from "../../../ui/controls/Sections.tsx"
import { Note } from "../../../ui/Note.tsx"
import type { FieldsProps } from "./fields-props.ts"
import { FormField } from "./FormField.tsx"

/** Selects the model for the assistant from all chat models. */
export function ModelField({ form, issues, onChange }: FieldsProps) {
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
