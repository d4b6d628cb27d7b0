import type { BoxValues } from "../../core/database/box-values.ts"
import type { ListedItem } from "../../core/held-items.ts"
import { listHeldSettings, type HeldValue } from "./settings-store.ts"

/** Settings of a restored backup that let others in or lead out of this computer. */
export async function listHeld(values: Pick<BoxValues, "all">): Promise<ListedItem[]> {
  return (await listHeldSettings(values)).map(({ name, value }) => ({
    kind: "setting",
    id: name,
    ownerId: null,
    name,
    does: describe(value),
    trigger: null,
  }))
}

function describe(value: HeldValue): string {
  if (typeof value !== "object") return String(value)
  if (Array.isArray(value)) return value.join(", ")
  return value.url === null ? value.provider : `${value.provider}, ${value.url}`
}
