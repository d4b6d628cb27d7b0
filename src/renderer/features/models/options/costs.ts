import { t } from "i18next"
import type { Computer, ContextCost, ModelSpeed } from "../../../../shared/contract/models.ts"
import { conversationsAtOnce } from "../../../../shared/conversations-at-once.ts"
import { formatCount, formatSize } from "../../../lib/words/format.ts"
import { toNumber, type OptionsForm } from "./options-form.ts"

/** Facts about a model, known before its options are chosen. */
export interface Known {
  /** Null for a model on a server. */
  cost: ContextCost | null
  speeds: ModelSpeed[]
  /** The result of testing the graphics card; null if it wasn't tested yet. */
  gpu: Computer["gpu"]
}

const sentences = (...all: (string | false)[]): string => all.filter((each) => each !== false).join(" ")

/** A positive number, or null. */
const countIn = (written: string): number | null => {
  const value = toNumber(written)
  return value !== null && Number.isFinite(value) && value > 0 ? value : null
}

export const getMaxTokens = ({ trained, largest }: ContextCost): number => Math.min(trained, largest)

/** Returns the model's measured speed on the device that it will run on, if there is one. */
export function speedOn({ speeds, gpu }: Known, device: OptionsForm["device"]): ModelSpeed | undefined {
  const on = device === "auto" && gpu === "works" ? "gpu" : "processor"
  return speeds.find(({ runsOn }) => runsOn === on || runsOn === "server")
}

/** Memory of the model and its context windows. */
function getMemory(
  cost: ContextCost,
  contextSize: string,
): { each: number; concurrentChats: number; bytes: number } {
  const wanted = countIn(contextSize)
  const each = wanted === null ? cost.usual : Math.min(wanted, getMaxTokens(cost))
  const concurrentChats = wanted === null ? cost.usualAtOnce : conversationsAtOnce(cost.together, each)
  return { each, concurrentChats, bytes: cost.modelBytes + each * concurrentChats * cost.bytesPerToken }
}

export function contextCosts(known: Known, form: OptionsForm): string {
  const { cost } = known
  if (cost === null) return t("models:options.contextServer")
  const { each, concurrentChats, bytes } = getMemory(cost, form.contextSize)
  const memory = { size: formatSize(bytes), memory: formatSize(cost.memoryBytes) }
  const rate = speedOn(known, form.device)?.promptTokensPerSecond ?? null
  return sentences(
    t("models:options.contextCost", { count: concurrentChats, tokens: formatCount(each), ...memory }),
    t("models:options.contextMost", { tokens: formatCount(getMaxTokens(cost)) }),
    rate !== null && t("models:options.contextTime", { time: timeFor(each, rate) }),
  )
}

/** Whether the model and its context windows leave little memory for other programs. */
export const usesMuchMemory = ({ cost }: Known, form: OptionsForm): boolean =>
  cost !== null && getMemory(cost, form.contextSize).bytes > cost.memoryBytes * 0.7

export function answerCosts(known: Known, form: OptionsForm): string {
  const tokens = countIn(form.maxTokens)
  if (tokens === null) return t("models:options.maxTokensHint")
  const speed = speedOn(known, form.device)
  if (!speed) return t("models:options.notMeasured")
  return t("models:options.maxTokensTime", { time: timeFor(tokens, speed.tokensPerSecond) })
}

export function thinkingCosts(known: Known, form: OptionsForm): string {
  if (form.thinking === "off") return t("models:options.thinkingIsOff")
  const tokens = countIn(form.thinkingTokens)
  if (tokens === null) return t("models:options.thinkingTokensHint")
  const speed = speedOn(known, form.device)
  if (!speed) return t("models:options.notMeasured")
  return t("models:options.thinkingTime", { time: timeFor(tokens, speed.tokensPerSecond) })
}

export function deviceCosts({ speeds, gpu }: Known): string {
  if (gpu === null) return t("models:options.deviceUnknown")
  if (gpu !== "works") return t("models:options.deviceNoGpu")
  const rateOn = (runsOn: ModelSpeed["runsOn"]) => {
    const speed = speeds.find((each) => each.runsOn === runsOn)
    return speed ? rateText(speed.tokensPerSecond) : t("models:options.rateUnknown")
  }
  return t("models:options.deviceRates", { gpu: rateOn("gpu"), processor: rateOn("processor") })
}

export function unloadCosts({ cost }: Known, form: OptionsForm): string {
  if (cost === null) return ""
  const size = formatSize(getMemory(cost, form.contextSize).bytes)
  if (form.unloadAfterMinutes === "") return t("models:options.unloadNeverCost", { size })
  return form.unloadAfterMinutes === "0"
    ? t("models:options.unloadAtOnceCost", { size })
    : t("models:options.unloadCost", { size })
}

/** Describes the speed measured in its latest answers. */
export function measuredSpeed({ speeds }: Known): string {
  const [speed] = speeds
  if (!speed) return t("models:options.notMeasured")
  return t(`models:options.measured.${speed.runsOn}`, { rate: rateText(speed.tokensPerSecond) })
}

const rateText = (rate: number): string =>
  t("models:options.rate", { rate: formatCount(Number(rate.toPrecision(rate < 100 ? 2 : 3))) })

/** Describes the time that this many tokens take. */
function timeFor(tokens: number, perSecond: number): string {
  const seconds = tokens / perSecond
  if (seconds < 90) return t("models:options.seconds", { count: Math.max(1, Math.round(seconds)) })
  return t("models:options.minutes", { count: Math.round(seconds / 60) })
}
