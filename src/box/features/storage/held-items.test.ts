import { expect, test } from "vitest"
import type { ListedItem } from "../../core/held-items.ts"
import { createHeldItemService } from "./held-items.ts"

// Catches a confirmed key that makes an owner's decisions: only the page shows what they would do.
test("decisions are made in the app only, by no key", async () => {
  const item: ListedItem = {
    kind: "program",
    id: "a",
    ownerId: null,
    name: "Program",
    does: "run",
    trigger: null,
  }
  const turnedOn: string[] = []
  const service = createHeldItemService(
    [
      {
        list: () => Promise.resolve([item]),
        turnOn: (id) => Promise.resolve(void turnedOn.push(id)),
        leaveOff: () => Promise.resolve(),
      },
    ],
    () => Promise.resolve("Mia"),
  )
  const [shown] = await service.list()
  if (!shown) throw new Error("No item is listed.")
  const decide = (via: "key" | "session") =>
    service.decide({ userId: "owner", via }, { ...shown, decision: "turn_on" })
  await expect(decide("key")).rejects.toMatchObject({ code: "forbidden" })
  expect(turnedOn).toEqual([])
  await decide("session")
  expect(turnedOn).toEqual(["a"])
})
