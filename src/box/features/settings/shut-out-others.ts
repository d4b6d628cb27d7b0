import type { BoxSettings } from "../../../shared/contract/settings.ts"
import type { BoxValues } from "../../core/database/box-values.ts"

const key: keyof BoxSettings = "networkAccess"

/** A backup lets nobody in: other networks may be around the computer that it is restored on. */
export const shutOutOthers = (values: Pick<BoxValues, "remove">): Promise<void> => values.remove(key)
