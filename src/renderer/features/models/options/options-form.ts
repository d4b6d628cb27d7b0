import {
  usualUnloadMinutes,
  type ModelOptions,
  type ModelOptionsPatch,
} from "../../../../shared/contract/models.ts"
import { formatField } from "../../../lib/words/format.ts"

/** The fields' values; an empty field uses the model's default. */
export interface OptionsForm {
  contextSize: string
  temperature: string
  topP: string
  minP: string
  maxTokens: string
  thinkingTokens: string
  thinking: "auto" | "off"
  device: "auto" | "cpu"
  /** Empty: never unload. */
  unloadAfterMinutes: string
  vision: "" | "yes" | "no"
}

export const numberFields = [
  "contextSize",
  "temperature",
  "topP",
  "minP",
  "maxTokens",
  "thinkingTokens",
  "unloadAfterMinutes",
] as const

const text = (value: number | null) => (value === null ? "" : formatField(value))

export const toForm = (options: ModelOptions): OptionsForm => ({
  contextSize: text(options.contextSize),
  temperature: text(options.temperature),
  topP: text(options.topP),
  minP: text(options.minP),
  maxTokens: text(options.maxTokens),
  thinkingTokens: text(options.thinkingTokens),
  thinking: options.thinking ?? "auto",
  device: options.device ?? "auto",
  unloadAfterMinutes: text(options.unloadAfterMinutes),
  vision: options.vision === null ? "" : options.vision ? "yes" : "no",
})

/** The form of a model without custom options. */
export const untouched = (isLocal: boolean): OptionsForm => ({
  contextSize: "",
  temperature: "",
  topP: "",
  minP: "",
  maxTokens: "",
  thinkingTokens: "",
  thinking: "auto",
  device: "auto",
  unloadAfterMinutes: isLocal ? String(usualUnloadMinutes) : "",
  vision: "",
})

/** Parses "8192", "8,192", "0.7" and "0,7" as people write them; null for an empty field, NaN for text that isn't a number. */
export function toNumber(written: string): number | null {
  const plain = written.trim()
  if (plain === "") return null
  const grouped = /^\d{1,3}(?:[.,\s’']\d{3})+$/.test(plain) && !plain.startsWith("0")
  return Number(grouped ? plain.replaceAll(/\D/g, "") : plain.replace(",", "."))
}

/** Returns the changes to send for an edited form; `wrong` names fields that don't contain a number. */
export function toPatch(
  before: OptionsForm,
  form: OptionsForm,
): { patch: ModelOptionsPatch; wrong: (typeof numberFields)[number][] } {
  const changed = (field: keyof OptionsForm) => before[field] !== form[field]
  const numbers = numberFields.filter(changed).map((field) => [field, toNumber(form[field])] as const)
  return {
    wrong: numbers.flatMap(([field, value]) => (Number.isNaN(value) ? field : [])),
    patch: {
      ...Object.fromEntries(numbers),
      ...(changed("thinking") && { thinking: form.thinking === "off" ? "off" : null }),
      ...(changed("device") && { device: form.device === "cpu" ? "cpu" : null }),
      ...(changed("vision") && { vision: form.vision === "" ? null : form.vision === "yes" }),
    },
  }
}
