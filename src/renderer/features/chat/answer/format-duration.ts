import { t } from "i18next"
import { formatCount } from "../../../lib/words/format.ts"

/** Formats a waiting time: "80 ms", "2.4 s". */
export const formatDuration = (milliseconds: number): string =>
  milliseconds < 1000
    ? t("chat:usage.milliseconds", { count: Math.round(milliseconds) })
    : t("chat:usage.seconds", { value: formatCount(Math.round(milliseconds / 100) / 10) })
