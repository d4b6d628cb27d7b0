import { t } from "i18next"
import { useId } from "react"
import { TextField } from "../../../ui/controls/Field.tsx"

/** The most common addresses, with programs on this computer first. */
const usualAddresses = [
  "http://127.0.0.1:11434/v1",
  "http://127.0.0.1:1234/v1",
  "http://127.0.0.1:8080/v1",
  "https://api.openai.com/v1",
  "https://openrouter.ai/api/v1",
  "https://api.mistral.ai/v1",
]

interface AddressFieldProps {
  value: string
  error: string | undefined
  onChange: (value: string) => void
}

/** A model server's address. */
export function AddressField({ value, error, onChange }: AddressFieldProps) {
  const addresses = useId()
  return (
    <>
      <TextField
        label={t("models:servers.url")}
        hint={t("models:servers.urlHint")}
        value={value}
        maxLength={2000}
        inputMode="url"
        list={addresses}
        onChange={(event) => onChange(event.target.value)}
        error={error}
      />
      <datalist id={addresses}>
        {usualAddresses.map((address) => (
          <option key={address} value={address}>
            {address}
          </option>
        ))}
      </datalist>
    </>
  )
}
