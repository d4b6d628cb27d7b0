import { t } from "i18next"
import type { Computer, ModelState } from "../../../shared/contract/models.ts"
import { useCatalogue, useRetryGpu } from "../../data/models/models.ts"
import { formatCount, formatPercent } from "../../lib/words/format.ts"
import { describeError } from "../../lib/box.ts"
import { showToast } from "../../lib/toasts.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Note } from "../../ui/Note.tsx"
import { ProgressBar } from "../../ui/Progress.tsx"
import { Facts } from "../../ui/controls/Sections.tsx"
import { toPageLanguage } from "../../lib/words/sentence.ts"

/** An active model's state, the hardware it uses, and why. */
export function ModelFacts({ model }: { model: ModelState }) {
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
          onError: (error) => showToast(describeError(error), "error"),
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
