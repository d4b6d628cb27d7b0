import { t } from "i18next"
import { SelectField } from "../../../ui/controls/Field.tsx"
import { readRefresh, refreshChoices, refreshName, refreshValue } from "./refresh-choices.ts"

interface RefreshFieldProps {
  hours: number | null
  onChange: (hours: number | null) => void
  disabled?: boolean
  error?: string | undefined
}

/** Chooses how often a web page is fetched again. */
export function RefreshField({ hours, onChange, ...rest }: RefreshFieldProps) {
  return (
    <SelectField
      label={t("folders:web.refresh")}
      hint={t("folders:web.refreshHint")}
      value={refreshValue(hours)}
      onChange={(event) => onChange(readRefresh(event.target.value))}
      {...rest}
    >
      {refreshChoices(hours).map((choice) => (
        <option key={refreshValue(choice)} value={refreshValue(choice)}>
          {refreshName(choice)}
        </option>
      ))}
    </SelectField>
  )
}
