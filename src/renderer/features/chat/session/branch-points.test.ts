import { expect, test } from "vitest"
import type { Branch, StoredMessage } from "../../../../shared/contract/conversations.ts"
import { branchPoints } from "./branch-points.ts"

let clock = 0
const message = (id: string): StoredMessage => ({
  id,
  role: "user",
  content: id,
  parts: [],
  attachments: null,
  finishReason: null,
  usage: null,
  model: null,
  assistantId: null,
  createdAt: new Date(clock++).toISOString(),
})
const branch = (path: StoredMessage[], current: boolean): Branch => ({
  id: path.at(-1)?.id ?? "",
  messageCount: path.length,
  createdAt: path.at(-1)?.createdAt ?? "",
  current,
})

const [q1, a1, q2, a2] = [message("q1"), message("a1"), message("q2"), message("a2")] as const
const [other, otherAnswer] = [message("other"), message("otherAnswer")] as const
const again = message("again")
const paths = [
  [q1, a1, q2, again],
  [q1, a1, other, otherAnswer],
  [q1, a1, q2, a2],
]
const branches = paths.map((path, index) => branch(path, index === 0))

// Catches a switch at the wrong message, versions out of order, and a version that opens an old branch although the current branch contains
// it.
test("offers versions where other branches leave the shown path", () => {
  const points = branchPoints(paths[0] ?? [], branches, paths)
  expect([...points.keys()].toSorted()).toEqual(["again", "q2"])
  expect(points.get("q2")).toEqual({
    variants: [
      { messageId: "q2", branch: undefined },
      { messageId: "other", branch: "otherAnswer" },
    ],
    shown: 0,
  })
  expect(points.get("again")).toMatchObject({
    variants: [{ messageId: "a2" }, { messageId: "again" }],
    shown: 1,
  })
})

test("leads from an earlier version back to the current branch", () => {
  const points = branchPoints(paths[1] ?? [], branches, paths)
  expect(points.get("other")?.variants).toEqual([
    { messageId: "q2", branch: undefined },
    { messageId: "other", branch: undefined },
  ])
})

test("ignores branches that aren't loaded yet", () => {
  expect(branchPoints(paths[0] ?? [], branches, [undefined, undefined, undefined]).size).toBe(0)
})
