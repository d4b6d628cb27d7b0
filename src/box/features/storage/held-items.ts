import { isDeepStrictEqual } from "node:util"
import { AppError } from "../../../shared/contract/errors.ts"
import type { HeldDecision, HeldItem } from "../../../shared/contract/storage.ts"
import { sentence } from "../../../shared/sentences/sentences.ts"
import type { HeldItems, ListedItem } from "../../core/held-items.ts"
import type { Caller } from "../../http/caller.ts"

/** Items that were on in a restored backup and stay off until an owner turns them on. */
export interface HeldItemService {
  list(): Promise<HeldItem[]>
  /**
   * Returns the remaining items. Throws `forbidden` for an API key, which may come from the backup itself, and `conflict` if the item
   * differs in any way from what was shown. Throws `validation` for the field `key` if an API key is turned on without the key itself.
   */
  decide(caller: Pick<Caller, "userId" | "via">, decision: HeldDecision): Promise<HeldItem[]>
}

export function createHeldItemService(
  features: readonly HeldItems[],
  getName: (userId: string) => Promise<string>,
): HeldItemService {
  async function present({ ownerId, ...item }: ListedItem): Promise<HeldItem> {
    return { ...item, person: ownerId === null ? null : await getName(ownerId) }
  }

  async function list(): Promise<HeldItem[]> {
    const items = (await Promise.all(features.map((feature) => feature.list()))).flat()
    return Promise.all(items.map(present))
  }

  return {
    list,
    async decide({ userId, via }, { decision, key, ...shown }) {
      if (via !== "session") throw new AppError("forbidden", sentence("storage.held_in_app_only"))
      const { kind, id } = shown
      for (const feature of features) {
        const found = (await feature.list()).find((item) => item.kind === kind && item.id === id)
        if (!found || !isDeepStrictEqual(await present(found), shown)) continue
        await (decision === "turn_on" ? feature.turnOn(id, userId, key) : feature.leaveOff(id))
        return list()
      }
      throw new AppError("conflict", sentence("storage.held_changed"))
    },
  }
}
