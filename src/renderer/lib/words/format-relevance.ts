import { t } from "i18next"
import type { Passage } from "../../../shared/contract/folders.ts"
import { formatPercent } from "./format.ts"

/** How relevant a passage was found to be: nothing where it wasn't searched for, but read with all the others. */
export const formatRelevance = ({ score, rank = {} }: Partial<Pick<Passage, "score" | "rank">>): string =>
  score === undefined || Object.keys(rank).length === 0
    ? ""
    : t("passages:relevant", { share: formatPercent(score) })
