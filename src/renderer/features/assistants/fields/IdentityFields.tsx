import { t } from "i18next"
import { useHandleCheck } from "../../../data/assistants.ts"
import { useDebounced } from "../../../lib/debounced.ts"
import { TextField } from "../../../ui/controls/Field.tsx"
import { handleIssue, limits } from "../editor/form.ts"
import { AppearanceFields } from "./AppearanceFields.tsx"
import { type FieldsProps, FormField } from "./FormField.tsx"

interface HandleFieldProps {
  handle: string
  /** The name from which an empty handle is derived. */
  name: string
  assistantId: string | undefined
  /** The saved handle. */
  saved: string | undefined
  error: string | undefined
  onChange: (handle: string) => void
}

/** The @mention handle, validated while it is typed. */
function HandleField({ handle, name, assistantId, saved, error, onChange }: HandleFieldProps) {
  const wrong = handleIssue(handle)
  const wanted = useDebounced((handle || name).trim().slice(0, limits.name))
  const { data: check, isPlaceholderData } = useHandleCheck(wrong === undefined ? wanted : "", assistantId)
  const current = check !== undefined && !isPlaceholderData && wanted === (handle || name).trim()
  const taken = handle !== "" && current && !check.free

  function hint(): string {
    if (handle === "") return current ? t("assistants:handle.derived", check) : t("assistants:handle.empty")
    if (handle === saved) return t("assistants:handle.own", { handle })
    return current ? t("assistants:handle.free", { handle }) : t("assistants:handle.checking")
  }

  return (
    <div>
      <TextField
        label={t("assistants:handle.label")}
        value={handle}
        placeholder={handle === "" && current ? check.handle : ""}
        onChange={(event) => onChange(event.target.value)}
        hint={hint()}
        error={wrong ?? (taken ? t("assistants:handle.taken") : error)}
        autoCapitalize="none"
      />
      {taken && (
        <button
          type="button"
          onClick={() => onChange(check.handle)}
          className="mt-1 rounded text-xs font-medium text-accent hover:underline"
        >
          {t("assistants:handle.take", check)}
        </button>
      )}
      <span aria-live="polite" className="sr-only">
        {wrong ?? (taken ? t("assistants:handle.taken") : "")}
      </span>
    </div>
  )
}

export interface IdentityFieldsProps extends FieldsProps {
  assistantId: string | undefined
  /** The assistant's ID while the image is the saved one. */
  pictureId: string | undefined
  /** The saved handle. */
  savedHandle: string | undefined
}

/** The properties shown with an assistant's name in lists and mentions. */
export function IdentityFields({
  form,
  assistantId,
  pictureId,
  savedHandle,
  issues,
  onChange,
}: IdentityFieldsProps) {
  return (
    <div className="mb-8 flex flex-col gap-4">
      <FormField of="handle">
        <HandleField
          handle={form.handle}
          name={form.name}
          assistantId={assistantId}
          saved={savedHandle}
          error={issues.handle}
          onChange={(handle) => onChange({ handle })}
        />
      </FormField>
      <FormField of="description">
        <TextField
          label={t("assistants:description.label")}
          value={form.description}
          hint={t("assistants:description.hint")}
          onChange={({ target }) => onChange({ description: target.value })}
          error={issues.description}
          spellCheck
        />
      </FormField>
      <FormField of="customImage icon color">
        <AppearanceFields
          appearance={{ ...form, id: pictureId }}
          onChange={onChange}
          error={issues.customImage ?? issues.icon ?? issues.color}
        />
      </FormField>
    </div>
  )
}
